; Tables as sections, and keys outside of any. See app/core/outline.py.
(document (pair . (_) @name) @section)
(table . (_) @name) @section
(table_array_element . (_) @name) @section
(comment) @comment
