/** Formats an organiser's texts as YAML for `rollcall new`. */

/** The column in which comments start, so that they are aligned. */
const COMMENT_COLUMN = 40

export function appendComment(line: string, comment: string): string {
  return `${`${line} `.padEnd(COMMENT_COLUMN)}# ${comment}`
}

const YAML_KEYWORD = /^(true|false|null|yes|no|none|on|off)$/i

/** Formats a string as YAML, with quotes only if needed. Inside braces, commas also need quotes. */
export function quoteYaml(text: string, inBraces = false): string {
  const isSafe = /^[A-Za-z][A-Za-z0-9 .@/()’–-]*$/u.test(inBraces ? text : text.replaceAll(',', ''))
  return isSafe && !YAML_KEYWORD.test(text) && text === text.trim() ? text : JSON.stringify(text)
}

/** Ids that have a special meaning in event files. */
const RESERVED_IDS: ReadonlySet<string> = new Set(['all', 'categories', 'closed', 'period'])

/**
 * Derives an id from a label, unique among `labels`. If the label has no usable characters, uses a number:
 * `category-2`.
 */
export function deriveId(
  label: string,
  index: number,
  labels: readonly string[],
  thing: string,
): string {
  const toId = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^[-0-9]+|-+$/g, '')
  const labelId = toId(label)
  const isTaken = labels.findIndex((other) => toId(other) === labelId) !== index
  // YAML does not read `null` or `no` as a string.
  return labelId === '' || RESERVED_IDS.has(labelId) || isTaken || YAML_KEYWORD.test(labelId)
    ? `${thing}-${index + 1}`
    : labelId
}
