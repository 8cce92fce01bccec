; Keys as sections: the first two levels, so that a large file is named where a reader looks. See app/core/outline.py.
(document (object (pair key: (_) @name) @section))
(document (object (pair value: (object (pair key: (_) @name) @section))))
(comment) @comment
