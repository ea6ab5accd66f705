/** How `rollcall new` writes the words of an organiser into YAML. */

/** Where remarks begin, so that they stand under each other. */
const COMMENT_AT = 40

export function aside(line: string, comment: string): string {
  return `${line.padEnd(COMMENT_AT)}# ${comment}`
}

/** A text as YAML reads it back, in quotes only where it needs them; inside braces commas need them too. */
export function quoted(text: string, inBraces = false): string {
  const safe = /^[A-Za-z][A-Za-z0-9 .@/()’–-]*$/u.test(inBraces ? text : text.replaceAll(',', ''))
  return safe && !/^(true|false|null|yes|no|none|on|off)$/i.test(text) && text === text.trim()
    ? text
    : JSON.stringify(text)
}

/** A name for the thing with this label, its own among `all`; what no name can be made of is counted: `category-2`. */
export function nameOf(label: string, at: number, all: readonly string[], thing: string): string {
  const id = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^[-0-9]+|-+$/g, '')
  const mine = id(label)
  const isTaken = all.findIndex((other) => id(other) === mine) !== at
  return mine === '' || mine === 'period' || isTaken ? `${thing}-${at + 1}` : mine
}
