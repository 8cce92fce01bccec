; See app/core/outline.py.
(section (section_name (text) @name)) @section
(document (setting (setting_name) @name) @section)
(comment) @comment
