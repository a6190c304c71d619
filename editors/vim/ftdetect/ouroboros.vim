autocmd BufRead,BufNewFile *.pml,*.pm,*.prom,*.promela setfiletype promela
autocmd BufRead,BufNewFile *.dve setfiletype dve
autocmd BufRead,BufNewFile *.m setfiletype murphi
