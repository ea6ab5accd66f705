/** The editor's decorations: YAML syntax colours, and findings below their lines. */
import { StateEffect, StateField } from '@codemirror/state'
import type { EditorState, Extension, Range, Text } from '@codemirror/state'
import { Decoration, EditorView, WidgetType } from '@codemirror/view'
import type { DecorationSet } from '@codemirror/view'
import type { Finding } from '../../../engine/authoring.ts'

const kinds = {
  key: Decoration.mark({ class: 'y-key' }),
  comment: Decoration.mark({ class: 'y-comment' }),
  text: Decoration.mark({ class: 'y-text' }),
  number: Decoration.mark({ class: 'y-number' }),
}

/**
 * One token of a line: a comment, a quoted text, a key, a number or a day. Accurate enough for
 * highlighting; the checker does the real parsing.
 */
const token =
  /(?<comment>(?:^|(?<=\s))#.*$)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(?<key>(?<=^\s*(?:- +)*|[{,]\s*|^\s*- \{)[\w.-]+(?=:(?:\s|$)))|(?<number>(?<=[[,:]\s*|^\s*- +)-?\d[\d.-]*(?=\s*(?:[,\]}]|$|\s#)))/g
/** A key whose value is a literal block on the lines below. */
const BLOCK_START = /:\s+[|>][-+\d]*\s*(?:#.*)?$/

function highlight(text: Text): DecorationSet {
  const ranges: Range<Decoration>[] = []
  let blockIndent: number | null = null
  for (let number = 1; number <= text.lines; number += 1) {
    const line = text.line(number)
    const indent = line.text.search(/\S/)
    if (blockIndent !== null && (indent === -1 || indent > blockIndent)) continue
    blockIndent = BLOCK_START.test(line.text) ? indent : null
    for (const match of line.text.matchAll(token)) {
      const kind = (Object.keys(kinds) as (keyof typeof kinds)[]).find(
        (name) => match.groups?.[name] !== undefined,
      )
      if (kind)
        ranges.push(
          kinds[kind].range(line.from + match.index, line.from + match.index + match[0].length),
        )
    }
  }
  return Decoration.set(ranges)
}

const colours = StateField.define<DecorationSet>({
  create: ({ doc }) => highlight(doc),
  update: (old, change) => (change.docChanged ? highlight(change.newDoc) : old),
  provide: (field) => EditorView.decorations.from(field),
})

/** Sets the findings in the editor; they refer to the current text. */
export const showFindings = StateEffect.define<readonly Finding[]>()

class FindingBox extends WidgetType {
  readonly finding: Finding
  constructor(finding: Finding) {
    super()
    this.finding = finding
  }
  override eq(other: FindingBox): boolean {
    return (
      other.finding.code === this.finding.code &&
      other.finding.message === this.finding.message &&
      other.finding.help === this.finding.help &&
      other.finding.severity === this.finding.severity
    )
  }
  override toDOM(): HTMLElement {
    const box = document.createElement('div')
    box.className = `finding ${this.finding.severity}`
    const code = document.createElement('b')
    code.textContent = this.finding.code
    const message = document.createElement('span')
    const { message: errorText, help } = this.finding
    message.append(
      code,
      ` ${errorText.replaceAll('`', '')}${help === undefined ? '' : `: ${help.replaceAll('`', '')}`}`,
    )
    box.append(message)
    return box
  }
  override ignoreEvent(): boolean {
    return true
  }
}

const underlines = {
  error: Decoration.mark({ class: 'f-error' }),
  warning: Decoration.mark({ class: 'f-warning' }),
  note: Decoration.mark({ class: 'f-note' }),
}
const rows = {
  error: Decoration.line({ class: 'f-row error' }),
  warning: Decoration.line({ class: 'f-row warning' }),
  note: Decoration.line({ class: 'f-row note' }),
}

function decorateFindings({ doc }: EditorState, findings: readonly Finding[]): DecorationSet {
  const ranges = findings.flatMap((finding) => {
    const start = Math.min(finding.at.start.offset, doc.length)
    const line = doc.lineAt(start)
    const end = Math.min(finding.at.end.offset, line.to)
    const box = Decoration.widget({ widget: new FindingBox(finding), side: 1, block: true }).range(
      line.to,
    )
    return [
      rows[finding.severity].range(line.from),
      ...(end > start ? [underlines[finding.severity].range(start, end)] : []),
      box,
    ]
  })
  return Decoration.set(ranges, true)
}

const findingMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (old, change) => {
    for (const effect of change.effects)
      if (effect.is(showFindings)) return decorateFindings(change.state, effect.value)
    return change.docChanged ? old.map(change.changes) : old
  },
  provide: (field) => EditorView.decorations.from(field),
})

export const marks: Extension = [colours, findingMarks]
