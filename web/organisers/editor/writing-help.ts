/** The editor's help while writing: completion and explanations from the schema, search, folding, fixes. */
import { autocompletion } from '@codemirror/autocomplete'
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { codeFolding, foldGutter, foldKeymap, foldService } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import type { EditorState, Extension } from '@codemirror/state'
import { hoverTooltip, keymap } from '@codemirror/view'
import type { EditorView, Tooltip } from '@codemirror/view'
import { describe, findPlace, listKeys, listValues } from './schema-help.ts'
import type { Place, Schema } from './schema-help.ts'
import { applyFixAtCursor } from './yaml-highlighting.ts'

/** The schema is loaded with the first editor. */
let schemaPromise: Promise<Schema> | null = null
const loadSchema = (): Promise<Schema> =>
  (schemaPromise ??= import('../../../schemas/event.schema.json').then(
    (module) => module.default as Schema,
  ))

function placeAt(state: EditorState, position: number): Place | null {
  const line = state.doc.lineAt(position)
  const lines = state.doc.sliceString(0, line.to).split('\n')
  return findPlace(lines, line.number - 1, position - line.from)
}

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const place = placeAt(context.state, context.pos)
  if (place === null || (place.word === '' && !context.explicit)) return null
  const root = await loadSchema()
  const options: readonly Completion[] =
    place.valueOf === null
      ? listKeys(root, place.path).map(({ name, about }) => ({
          label: name,
          apply: `${name}: `,
          ...(about === '' ? {} : { info: about }),
        }))
      : listValues(root, [...place.path, place.valueOf]).map((label) => ({ label }))
  if (options.length === 0) return null
  const { from } = context.state.doc.lineAt(context.pos)
  return { from: from + place.column, options, validFor: /^[\w.-]*$/ }
}

/** Explains the key under the pointer. */
async function explain(view: EditorView, position: number): Promise<Tooltip | null> {
  const line = view.state.doc.lineAt(position)
  const column = position - line.from
  const start = column - (/[\w.-]*$/.exec(line.text.slice(0, column))?.[0].length ?? 0)
  const key = /^[\w.-]+(?=:(?:\s|$))/.exec(line.text.slice(start))?.[0]
  const place = key === undefined ? null : placeAt(view.state, line.from + start)
  if (key === undefined || place?.valueOf !== null) return null
  const root = await loadSchema()
  const path = [...place.path, key]
  const values = listValues(root, path)
  const texts = [
    describe(root, path),
    ...(values.length === 0 ? [] : [`Values: ${values.join(', ')}`]),
  ].filter((text) => text !== '')
  if (texts.length === 0) return null
  return {
    pos: line.from + start,
    end: line.from + start + key.length,
    create: () => {
      const dom = document.createElement('div')
      dom.className = 'org-hover'
      for (const text of texts) {
        const paragraph = document.createElement('p')
        paragraph.textContent = text
        dom.append(paragraph)
      }
      return { dom }
    },
  }
}

/** A line with deeper lines below it can be folded. */
const byIndentation = foldService.of((state, lineStart) => {
  const { doc } = state
  const first = doc.lineAt(lineStart)
  const indent = first.text.search(/\S/)
  if (indent === -1 || first.text.trimStart().startsWith('#')) return null
  let last = first
  for (let number = first.number + 1; number <= doc.lines; number += 1) {
    const line = doc.line(number)
    const column = line.text.search(/\S/)
    if (column !== -1 && column <= indent) break
    if (column !== -1) last = line
  }
  return last === first ? null : { from: first.to, to: last.to }
})

export const writingHelp: Extension = [
  autocompletion({ override: [complete], icons: false }),
  hoverTooltip(explain),
  search({ top: true }),
  codeFolding(),
  foldGutter(),
  byIndentation,
  keymap.of([{ key: 'Alt-Enter', run: applyFixAtCursor }, ...searchKeymap, ...foldKeymap]),
]
