/** The editor of an event file, with each finding below its line. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useImperativeHandle, useRef } from 'react'
import type { Ref } from 'react'
import type { Finding } from '../../../engine/authoring.ts'
import { editorHelp } from './writing-help.ts'
import { marks, showFindings } from './yaml-highlighting.ts'
import './yaml-editor.css'

/** Operations on the text for other parts of the page. */
export type EditorHandle = {
  /** Scrolls to a line, counted from 1, and puts the cursor there. */
  readonly goTo: (line: number, column?: number) => void
  /** Replaces part of the text; can be undone like typing. */
  readonly replace: (from: number, to: number, text: string) => void
}

type EditorProps = {
  readonly ref: Ref<EditorHandle>
  readonly label: string
  /** The initial text. Later changes are typed in the editor. */
  readonly text: string
  readonly onChange: (text: string) => void
  readonly findings: readonly Finding[]
  /** The text that the findings belong to; they are not shown for any other text. */
  readonly checkedText: string | null
}

/**
 * Shows a text editor with line numbers. Tab leaves the editor, as in any field; Enter keeps the indentation; Alt-Enter
 * applies the fix for a finding.
 */
export function Editor({ ref, label, text, onChange, findings, checkedText }: EditorProps) {
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latestOnChange = useRef(onChange)
  useEffect(() => {
    latestOnChange.current = onChange
  }, [onChange])
  useEffect(() => {
    if (container.current === null) return
    const state = EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        // Registered first, so that its keys, such as Enter in a list of completions, take precedence.
        editorHelp,
        keymap.of([...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          tabindex: '0',
          spellcheck: 'false',
          autocorrect: 'off',
          autocapitalize: 'off',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latestOnChange.current(update.state.doc.toString())
        }),
        marks,
      ],
    })
    const editorView = new EditorView({ state, parent: container.current })
    view.current = editorView
    return () => {
      editorView.destroy()
      view.current = null
    }
    // The page gives a new text a new key, which creates a new editor.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  useEffect(() => {
    if (
      view.current !== null &&
      checkedText !== null &&
      view.current.state.doc.toString() === checkedText
    )
      view.current.dispatch({ effects: showFindings.of(findings) })
  }, [findings, checkedText])
  useImperativeHandle(
    ref,
    () => ({
      goTo: (number, column = 1) => {
        const editor = view.current
        if (editor === null) return
        const line = editor.state.doc.line(Math.min(Math.max(number, 1), editor.state.doc.lines))
        const position = Math.min(line.from + column - 1, line.to)
        editor.dispatch({
          selection: { anchor: position },
          effects: EditorView.scrollIntoView(position, { y: 'center' }),
        })
        editor.focus()
      },
      replace: (from, to, insert) =>
        view.current?.dispatch({
          changes: { from, to, insert },
          selection: { anchor: from + insert.length },
          userEvent: 'input',
        }),
    }),
    [],
  )
  return <div className="org-editor" ref={container} />
}
