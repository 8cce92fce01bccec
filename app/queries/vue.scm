; The blocks of a component, and what stands in its template. See app/core/outline.py.
(template_element (start_tag (tag_name) @name)) @section
(document (template_element (element (start_tag (tag_name) @name)) @section))
(document (template_element (element (element (start_tag (tag_name) @name)) @section)))
(script_element (start_tag (tag_name) @name)) @section
(style_element (start_tag (tag_name) @name)) @section
(comment) @comment
