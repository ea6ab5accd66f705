/** What YAML reads otherwise than it looks: anchors, tags, texts cut by a hash, braces and commas that were meant as text. */
import { isAlias, isMap, isPair, isScalar, isSeq } from 'yaml'
import type { YAMLMap } from 'yaml'
import type { Report } from './reading.ts'
import { join } from './source.ts'
import type { Span } from './source.ts'

export type Traps = { readonly text: string; readonly report: Report; trap(path: string): void }

/** Tells what a node of the syntax tree means to YAML and nobody else; what its parts are is looked at apart. */
export function trapsOf(node: unknown, path: string, traps: Traps): void {
  const { text, report, trap } = traps
  const span = nodeRange(node) ?? [0, 0]
  const from = (mark: string): Span => {
    const start = text.lastIndexOf(mark, span[0])
    return start === -1 ? span : [start, span[1]]
  }
  if (isAlias(node)) {
    trap(path)
    return report('EV003', span, path, {
      message: `\`*${node.source}\` repeats another place: anchors and aliases (& and *) are not part of this format`,
      help: 'write the value out; a text that begins with * needs quotes',
    })
  }
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return
  if (node.anchor !== undefined) {
    trap(path)
    return report('EV003', from(`&${node.anchor}`), path, {
      message: `\`&${node.anchor}\` names this place: anchors and aliases (& and *) are not part of this format`,
      help: 'leave it out; a text that begins with & needs quotes',
    })
  }
  if (node.tag !== undefined) {
    trap(path)
    return report('EV003', from('!'), path, {
      message: `tags such as \`${node.tag}\` are not part of this format`,
      help: 'leave it out; a text that begins with ! needs quotes',
    })
  }
  if (isScalar(node) && node.type === 'PLAIN' && typeof node.value === 'string')
    cutByHash(node.value, span, path, traps)
  if (isMap(node)) mapTraps(node, span, path, traps)
}

/** `Hall #5`: a comment begins with a blank after its hash; one space before and none after was meant as text. */
function cutByHash(value: string, [start, end]: Span, path: string, { text, report }: Traps): void {
  const rest = /^ (#[^\s#][^\n]*)/.exec(text.slice(end, end + 400))
  if (rest === null) return
  const whole = `${value} ${(rest[1] ?? '').trimEnd()}`
  report('EV004', [end + 1, end + 1 + (rest[1] ?? '').trimEnd().length], path, {
    message: `the text ends before \`#\`: everything after it is a comment`,
    help: `to keep it, write ${JSON.stringify(whole)}; for a comment put a space after the #`,
    fix: { start, end: start + whole.length, text: JSON.stringify(whole) },
  })
}

function mapTraps(node: YAMLMap, span: Span, path: string, { text, report, trap }: Traps): void {
  for (const pair of node.items)
    if (isScalar(pair.key) && pair.key.value === '<<') {
      trap(join(path, '<<'))
      report('EV003', nodeRange(pair.key) ?? span, join(path, '<<'), {
        message: 'merging with `<<` is not part of this format',
        help: 'write the keys out',
      })
    }
  if (node.flow !== true) return
  const bare = node.items.filter((pair) => isPair(pair) && pair.value === null)
  if (bare.length === 0) return
  if (bare.length === node.items.length) {
    const inside = text.slice(span[0], span[1])
    trap(path)
    return report('EV005', span, path, {
      message: `\`${inside}\` is read as a block of keys: a text that begins with {…} must be in quotes`,
      help: `write "${inside}"`,
      fix: { start: span[0], end: span[1], text: JSON.stringify(inside) },
    })
  }
  for (const pair of bare) {
    const key = nodeRange(pair.key) ?? span
    trap(path)
    report('EV006', key, path, {
      message: `\`${text.slice(key[0], key[1])}\` looks like the rest of a text: inside {…} a comma starts a new key`,
      help: 'put the text with the comma in quotes',
    })
  }
}

/** Where a node stands in the text; null for what has no place of its own. */
export function nodeRange(node: unknown): Span | null {
  const range =
    (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) && node.range
      ? node.range
      : null
  return range === null || range === undefined ? null : [range[0], range[1]]
}
