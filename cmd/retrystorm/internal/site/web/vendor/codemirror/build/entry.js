// What the page uses of CodeMirror, as properties of the global CodeMirror.
export {
  acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap,
  completionStatus, snippet, startCompletion,
} from "@codemirror/autocomplete"
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
export { yaml } from "@codemirror/lang-yaml"
export { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language"
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint"
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search"
export { Compartment, EditorSelection, EditorState, Prec } from "@codemirror/state"
export {
  drawSelection, dropCursor, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap,
  lineNumbers,
} from "@codemirror/view"
export { tags } from "@lezer/highlight"
