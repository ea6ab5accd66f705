/** The editor's decorations: YAML syntax colours, and findings below their lines. */
import { StateEffect, StateField } from '@codemirror/state'
import type { EditorState, Extension, Range, Text } from '@codemirror/state'
import { Decoration, EditorView, WidgetType } from '@codemirror/view'
import type { DecorationSet } from '@codemirror/view'
import type { Finding } from '../../../engine/authoring.ts'

const tokenMarks = {
  key: Decoration.mark({ class: 'y-key' }),
  comment: Decoration.mark({ class: 'y-comment' }),
  text: Decoration.mark({ class: 'y-text' }),
  number: Decoration.mark({ class: 'y-number' }),
}

/**
 * One token of a line: a comment, a quoted text, a key, a number or a day. Accurate enough for
 * highlighting; the checker does the real parsing.
 */
const TOKEN_PATTERN =
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
    for (const match of line.text.matchAll(TOKEN_PATTERN)) {
      const kind = (Object.keys(tokenMarks) as (keyof typeof tokenMarks)[]).find(
        (name) => match.groups?.[name] !== undefined,
      )
      if (kind)
        ranges.push(
          tokenMarks[kind].range(
            line.from + match.index,
            line.from + match.index + match[0].length,
          ),
        )
    }
  }
  return Decoration.set(ranges)
}

const colours = StateField.define<DecorationSet>({
  create: ({ doc }) => highlight(doc),
  update: (current, change) => (change.docChanged ? highlight(change.newDoc) : current),
  provide: (field) => EditorView.decorations.from(field),
})

/** Shows findings in the editor. They must belong to its current text. */
export const showFindings = StateEffect.define<readonly Finding[]>()

/** Applies the fix of a finding, if the text is still the one that was checked. */
function applyFix(view: EditorView, finding: Finding, checkedText: Text): boolean {
  const { fix } = finding
  if (fix === undefined || view.state.doc !== checkedText) return false
  view.dispatch({
    changes: { from: fix.start, to: fix.end, insert: fix.text },
    selection: { anchor: fix.start + fix.text.length },
    userEvent: 'input',
  })
  return true
}

class FindingBox extends WidgetType {
  readonly finding: Finding
  readonly checkedText: Text
  constructor(finding: Finding, checkedText: Text) {
    super()
    this.finding = finding
    this.checkedText = checkedText
  }
  override eq(other: FindingBox): boolean {
    return (
      other.finding.code === this.finding.code &&
      other.finding.message === this.finding.message &&
      other.finding.help === this.finding.help &&
      other.finding.severity === this.finding.severity &&
      (this.finding.fix === undefined || other.checkedText === this.checkedText)
    )
  }
  override toDOM(view: EditorView): HTMLElement {
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
    const { fix } = this.finding
    if (fix !== undefined) {
      // Alt-Enter does the same from the keyboard, and the list of findings has the same button.
      const button = document.createElement('button')
      button.type = 'button'
      button.className = 'finding-fix'
      button.tabIndex = -1
      button.textContent = fix.text === '' ? 'Remove it' : `Write ${JSON.stringify(fix.text)}`
      button.onclick = () => {
        applyFix(view, this.finding, this.checkedText)
        view.focus()
      }
      box.append(button)
    }
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
    const box = Decoration.widget({
      widget: new FindingBox(finding, doc),
      side: 1,
      block: true,
    }).range(line.to)
    return [
      rows[finding.severity].range(line.from),
      ...(end > start ? [underlines[finding.severity].range(start, end)] : []),
      box,
    ]
  })
  return Decoration.set(ranges, true)
}

type FindingMarks = {
  readonly decorations: DecorationSet
  readonly findings: readonly Finding[]
  /** The text that the findings belong to. */
  readonly checkedText: Text
}
const findingMarks = StateField.define<FindingMarks>({
  create: ({ doc }) => ({ decorations: Decoration.none, findings: [], checkedText: doc }),
  update: (previous, change) => {
    for (const effect of change.effects)
      if (effect.is(showFindings))
        return {
          decorations: decorateFindings(change.state, effect.value),
          findings: effect.value,
          checkedText: change.state.doc,
        }
    return change.docChanged
      ? { ...previous, decorations: previous.decorations.map(change.changes) }
      : previous
  },
  provide: (field) => EditorView.decorations.from(field, ({ decorations }) => decorations),
})

/** Applies the first fix of the cursor's line. Returns false if the line has no fix. */
export function applyFixAtCursor(view: EditorView): boolean {
  const { findings, checkedText } = view.state.field(findingMarks)
  const line = view.state.doc.lineAt(view.state.selection.main.head)
  const finding = findings.find(
    ({ at, fix }) =>
      fix !== undefined && at.start.offset >= line.from && at.start.offset <= line.to,
  )
  return finding !== undefined && applyFix(view, finding, checkedText)
}

export const marks: Extension = [colours, findingMarks]
