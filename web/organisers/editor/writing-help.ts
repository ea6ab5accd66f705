/** Editing aids: completion and tooltips from the schema, search, folding, fixes. */
import { autocompletion } from '@codemirror/autocomplete'
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { codeFolding, foldGutter, foldKeymap, foldService } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import type { EditorState, Extension } from '@codemirror/state'
import { hoverTooltip, keymap } from '@codemirror/view'
import type { EditorView, Tooltip } from '@codemirror/view'
import { findDescription, findCursorPosition, listKeys, listValues } from './schema-help.ts'
import type { CursorPosition, Schema } from './schema-help.ts'
import { applyFixAtCursor } from './yaml-highlighting.ts'

/** The schema is loaded when the first editor opens. */
let schemaPromise: Promise<Schema> | null = null
const loadSchema = (): Promise<Schema> =>
  (schemaPromise ??= import('../../../schemas/event.schema.json').then(
    (module) => module.default as Schema,
  ))

function findPositionAt(state: EditorState, position: number): CursorPosition | null {
  const line = state.doc.lineAt(position)
  const lines = state.doc.sliceString(0, line.to).split('\n')
  return findCursorPosition(lines, line.number - 1, position - line.from)
}

async function listCompletions(context: CompletionContext): Promise<CompletionResult | null> {
  const cursor = findPositionAt(context.state, context.pos)
  if (cursor === null || (cursor.word === '' && !context.explicit)) return null
  const root = await loadSchema()
  const options: readonly Completion[] =
    cursor.valueKey === null
      ? listKeys(root, cursor.path).map(({ name, description }) => ({
          label: name,
          apply: `${name}: `,
          ...(description === '' ? {} : { info: description }),
        }))
      : listValues(root, [...cursor.path, cursor.valueKey]).map((label) => ({ label }))
  if (options.length === 0) return null
  const { from } = context.state.doc.lineAt(context.pos)
  return { from: from + cursor.column, options, validFor: /^[\w.-]*$/ }
}

/** Returns a tooltip for the key under the pointer: its description and its values. */
async function createTooltip(view: EditorView, position: number): Promise<Tooltip | null> {
  const line = view.state.doc.lineAt(position)
  const column = position - line.from
  const start = column - (/[\w.-]*$/.exec(line.text.slice(0, column))?.[0].length ?? 0)
  const key = /^[\w.-]+(?=:(?:\s|$))/.exec(line.text.slice(start))?.[0]
  const cursor = key === undefined ? null : findPositionAt(view.state, line.from + start)
  if (key === undefined || cursor?.valueKey !== null) return null
  const root = await loadSchema()
  const path = [...cursor.path, key]
  const values = listValues(root, path)
  const texts = [
    findDescription(root, path),
    ...(values.length === 0 ? [] : [`Values: ${values.join(', ')}`]),
  ].filter((text) => text !== '')
  if (texts.length === 0) return null
  return {
    pos: line.from + start,
    end: line.from + start + key.length,
    create: () => {
      const tooltip = document.createElement('div')
      tooltip.className = 'org-hover'
      for (const text of texts) {
        const paragraph = document.createElement('p')
        paragraph.textContent = text
        tooltip.append(paragraph)
      }
      return { dom: tooltip }
    },
  }
}

/** Folds a line together with the more deeply indented lines below it. */
const indentationFolding = foldService.of((state, lineStart) => {
  const { doc } = state
  const firstLine = doc.lineAt(lineStart)
  const indent = firstLine.text.search(/\S/)
  if (indent === -1 || firstLine.text.trimStart().startsWith('#')) return null
  let lastLine = firstLine
  for (let number = firstLine.number + 1; number <= doc.lines; number += 1) {
    const line = doc.line(number)
    const column = line.text.search(/\S/)
    if (column !== -1 && column <= indent) break
    if (column !== -1) lastLine = line
  }
  return lastLine === firstLine ? null : { from: firstLine.to, to: lastLine.to }
})

export const editorHelp: Extension = [
  autocompletion({ override: [listCompletions], icons: false }),
  hoverTooltip(createTooltip),
  search({ top: true }),
  codeFolding(),
  foldGutter(),
  indentationFolding,
  keymap.of([{ key: 'Alt-Enter', run: applyFixAtCursor }, ...searchKeymap, ...foldKeymap]),
]
