" Murphi
if exists("b:current_syntax") | finish | endif
syntax case ignore
syntax keyword murphiType array boolean enum multiset real record scalarset union
syntax keyword murphiConstant false true undefined
syntax keyword murphiKeyword alias assert assume begin by case choose clear const cover do else
syntax keyword murphiKeyword elsif end endalias endchoose endexists endfor endforall endfunction endif endprocedure endrecord endrule
syntax keyword murphiKeyword endruleset endstartstate endswitch endwhile error exists externfun externproc for forall function if
syntax keyword murphiKeyword invariant ismember isundefined liveness multisetadd multisetcount multisetremove multisetremovepred of procedure put return
syntax keyword murphiKeyword rule ruleset startstate switch then to type undefine var while
syntax match murphiNumber "\<\d\+\>"
syntax region murphiString start=+"+ skip=+\\.+ end=+"+ oneline
syntax match murphiComment "--.*$"
syntax region murphiComment start="/\*" end="\*/"
highlight default link murphiType Type
highlight default link murphiStorageClass StorageClass
highlight default link murphiConstant Constant
highlight default link murphiOperator Operator
highlight default link murphiKeyword Keyword
highlight default link murphiNumber Number
highlight default link murphiString String
highlight default link murphiComment Comment
highlight default link murphiPreProc PreProc
let b:current_syntax = "murphi"
