; Elements as sections. See app/core/outline.py.
(document (element (start_tag (tag_name) @name)) @section)
(document (element (element (start_tag (tag_name) @name)) @section))
(document (element (element (element (start_tag (tag_name) @name)) @section)))
(document (element (element (element (element (start_tag (tag_name) @name)) @section))))
(script_element (start_tag (tag_name) @name)) @section
(style_element (start_tag (tag_name) @name)) @section
(comment) @comment
