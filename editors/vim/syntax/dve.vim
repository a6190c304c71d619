" DVE
if exists("b:current_syntax") | finish | endif
syntax keyword dveType byte int
syntax keyword dveStorageClass const
syntax keyword dveConstant false true
syntax keyword dveOperator and imply not or
syntax keyword dveKeyword accept assert async buchi channel commit effect guard init process property state
syntax keyword dveKeyword sync system trans
syntax match dveNumber "\<\d\+\>"
syntax region dveString start=+"+ skip=+\\.+ end=+"+ oneline
syntax match dveComment "//.*$"
syntax region dveComment start="/\*" end="\*/"
highlight default link dveType Type
highlight default link dveStorageClass StorageClass
highlight default link dveConstant Constant
highlight default link dveOperator Operator
highlight default link dveKeyword Keyword
highlight default link dveNumber Number
highlight default link dveString String
highlight default link dveComment Comment
highlight default link dvePreProc PreProc
let b:current_syntax = "dve"
