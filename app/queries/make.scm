; Targets are called by those that need them. See app/core/outline.py.
(rule (targets . (word) @name) (recipe)? @body (#not-match? @name "^\\.[A-Z]")) @function
(rule (targets . (word) @how) (#match? @how "^\\.[A-Z]")) @mute
(define_directive name: (word) @name) @function
(makefile (variable_assignment name: (word) @name) @constant)
(comment) @comment

(rule normal: (prerequisites (word) @call))
(include_directive) @import
