; Rules as sections, nested ones one level deep; mixins and functions by name. See app/core/outline.py.
(stylesheet (rule_set (selectors) @name (block) @body) @section)
(stylesheet (rule_set (block (rule_set (selectors) @name (block) @body) @section)))
(media_statement (block) @body) @section
(keyframes_statement (keyframes_name) @name) @section
(mixin_statement name: (_) @name) @section
(function_statement name: (_) @name) @section
(comment) @comment
(js_comment) @comment
