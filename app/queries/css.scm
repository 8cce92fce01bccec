; Rules as sections; those inside `@media` too. See app/core/outline.py.
(stylesheet (rule_set (selectors) @name (block) @body) @section)
(media_statement (block) @body) @section
(supports_statement (block) @body) @section
(keyframes_statement (keyframes_name) @name) @section
(media_statement (block (rule_set (selectors) @name (block) @body) @section))
(at_rule) @section
(comment) @comment
