/** One event file: text → findings, or a checked EventConfig. */
import { parseDocument, LineCounter } from 'yaml'
import type { EventConfig } from '../config.ts'
import { toConfig, type Plain } from './compile.ts'
import type { Finding, SharedFiles } from './finding.ts'

export function compileEvent(text: string, shared: SharedFiles, file: { readonly path: string } = { path: 'event.yaml' }): { readonly event: EventConfig | null; readonly findings: readonly Finding[] } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, strict: true })
  const [first] = document.errors
  if (first !== undefined) {
    const position = (offset: number) => { const { line, col } = lines.linePos(offset); return { line, column: col, offset } }
    return { event: null, findings: [{ code: 'EV001', slug: 'yaml-syntax', severity: 'error', message: first.message, at: { path: file.path, start: position(first.pos[0]), end: position(first.pos[1]), keyPath: '' }, related: [], notes: [] }] }
  }
  const plain = (source: string): Plain => (parseDocument(source).toJS() ?? {}) as Plain
  return { event: toConfig(document.toJS() as Plain, { lists: plain(shared.lists.text), gateways: plain(shared.gateways.text), texts: plain(shared.texts.text) }), findings: [] }
}

export function formatFindings(findings: readonly Finding[], _sources: ReadonlyMap<string, string>): string {
  return findings.map((finding) => `${finding.severity}[${finding.code}]: ${finding.message}\n  --> ${finding.at.path}:${finding.at.start.line}:${finding.at.start.column}\n`).join('\n')
}
