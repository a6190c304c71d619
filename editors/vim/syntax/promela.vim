" Promela
if exists("b:current_syntax") | finish | endif
syntax keyword promelaType bit bool byte chan int mtype pid short unsigned
syntax keyword promelaStorageClass active hidden local priority provided show
syntax keyword promelaConstant _last _nr_pr _pid _priority else false np_ skip timeout true
syntax keyword promelaOperator always equivalent eventually implies release stronguntil until weakuntil
syntax keyword promelaKeyword D_proctype assert atomic break c_code c_decl c_expr c_state c_track d_step do empty
syntax keyword promelaKeyword enabled eval fi for full get_priority goto if init inline len ltl
syntax keyword promelaKeyword nempty never nfull notrace od of pc_value printf printm proctype return run
syntax keyword promelaKeyword select set_priority trace typedef unless xr xs
syntax match promelaNumber "\<\d\+\>"
syntax region promelaString start=+"+ skip=+\\.+ end=+"+ oneline
syntax match promelaComment "//.*$"
syntax region promelaComment start="/\*" end="\*/"
syntax match promelaPreProc "^\s*#\s*\w\+"
highlight default link promelaType Type
highlight default link promelaStorageClass StorageClass
highlight default link promelaConstant Constant
highlight default link promelaOperator Operator
highlight default link promelaKeyword Keyword
highlight default link promelaNumber Number
highlight default link promelaString String
highlight default link promelaComment Comment
highlight default link promelaPreProc PreProc
let b:current_syntax = "promela"
