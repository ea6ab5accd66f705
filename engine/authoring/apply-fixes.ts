/** Applies the automatic fixes of findings to a file's text. */
import type { Finding } from './finding.ts'

/**
 * Applies the fixes of one file's findings. If two fixes overlap, only the first is applied; a second run applies the
 * other.
 */
export function applyFixes(
  text: string,
  findings: readonly Finding[],
): { readonly text: string; readonly appliedCount: number } {
  const fixes = findings
    .flatMap(({ fix }) => (fix === undefined ? [] : [fix]))
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
  let fixedText = ''
  let position = 0
  let appliedCount = 0
  for (const fix of fixes) {
    if (fix.start < position) continue
    fixedText += text.slice(position, fix.start) + fix.text
    position = fix.end
    appliedCount += 1
  }
  return { text: fixedText + text.slice(position), appliedCount }
}
