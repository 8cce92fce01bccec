; include: typescript.scm
; include: jsx.scm
