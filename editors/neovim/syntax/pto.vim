if exists('b:current_syntax')
  finish
endif

syntax match ptoComment "//.*$"
syntax region ptoString start=+"+ skip=+\\"+ end=+"+ oneline
syntax match ptoOperation "\<\(pto\|arith\|func\|memref\)\.[A-Za-z_][A-Za-z0-9_.]*"
syntax match ptoFlow "\<scf\.\(for\|if\|while\|yield\|condition\)\>\|\<return\>\|\<else\>"
syntax match ptoSync "\<pto\.\(set_flag\|wait_flag\|set_flag_dyn\|wait_flag_dyn\|barrier\|barrier_sync\|record_event\|wait_event\|get_buf\|rls_buf\)\>"
syntax match ptoType "![A-Za-z_][A-Za-z0-9_.]*"
syntax match ptoType "\<\(index\|[su]\=i[0-9]\+\|bf16\|f16\|f32\|f64\)\>"
syntax match ptoValue "%[A-Za-z0-9_$.-]\+"
syntax match ptoSymbol "@[A-Za-z0-9_$.-]\+"
syntax match ptoAttribute "#[A-Za-z_][A-Za-z0-9_.]*"
syntax match ptoNumber "\<[0-9]\+\(\.[0-9]\+\)\=\>"
syntax keyword ptoKeyword module attributes ins outs to step iter_args sizes offsets shape strides valid addr valid_row valid_col loc

highlight default link ptoComment Comment
highlight default link ptoString String
highlight default link ptoOperation Function
highlight default link ptoFlow Statement
highlight default link ptoSync PreProc
highlight default link ptoType Type
highlight default link ptoValue Identifier
highlight default link ptoSymbol Function
highlight default link ptoAttribute Constant
highlight default link ptoNumber Number
highlight default link ptoKeyword Keyword

let b:current_syntax = 'pto'
