; Elements as sections, three levels deep. See app/core/outline.py.
(document root: (element [(STag (Name) @name) (EmptyElemTag (Name) @name)]) @section)
(document root: (element (content (element [(STag (Name) @name) (EmptyElemTag (Name) @name)]) @section)))
(document root: (element (content (element (content (element [(STag (Name) @name) (EmptyElemTag (Name) @name)]) @section)))))
(Comment) @comment
