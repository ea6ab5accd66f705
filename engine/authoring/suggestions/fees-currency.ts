/** Explains an invalid `currency`, and moves one stated under `fees` to the top of the file. */
import { INR, type Currency } from '../../lib/money.ts'
import type { Draft } from '../finding.ts'
import type { Source } from '../syntax/source.ts'
import { suggestCurrency } from './currency-notations.ts'

/**
 * Returns the finding for an invalid code, or for one under `fees`. `valueText` is the value as
 * written.
 */
export function reportCurrency(source: Source, path: string, valueText: string): Draft {
  const suggestion = suggestCurrency(valueText)
  const write = suggestion === null ? 'write an ISO 4217 code, such as EUR' : `write ${suggestion}`
  if (path === 'fees.currency')
    return {
      at: path,
      message: 'the currency is stated at the top of the file, not under `fees`',
      help:
        suggestion === INR
          ? 'remove it: without `currency` at the top, prices are in rupees'
          : `write currency: ${suggestion ?? '…, an ISO 4217 code such as EUR,'} above fees, and remove this line`,
      ...(suggestion === null
        ? {}
        : moveCurrency(source, suggestion === INR || source.has('currency') ? null : suggestion)),
    }
  const written = source.written(path)
  if (valueText.trim() === '')
    return { at: path, part: 'key', message: '`currency` is empty', help: write }
  return {
    at: path,
    message: `\`${valueText}\` is not a currency code`,
    help: write,
    ...(suggestion === null || written === null
      ? {}
      : { fix: { start: written.span[0], end: written.span[1], text: suggestion } }),
  }
}

/**
 * Returns the fix that removes `fees.currency` and, if `to` is not null, writes it above `fees`.
 * Empty if the entry shares its line.
 */
export function moveCurrency(source: Source, to: Currency | null): Pick<Draft, 'fix'> {
  const { text } = source
  const entry = source.place('fees.currency', 'entry')
  const start = text.lastIndexOf('\n', entry.start.offset - 1) + 1
  const newLine = text.indexOf('\n', entry.end.offset)
  const end = newLine === -1 ? text.length : newLine + 1
  const fees = source.place('fees', 'key').start.offset
  const isAlone = /^ *currency *:[^#{}[\],\n]*(?:#[^\n]*)?\n?$/.test(text.slice(start, end))
  // If `fees` is in braces or does not begin its line, no fix is safe.
  if (!isAlone || fees >= start || (fees > 0 && text[fees - 1] !== '\n')) return {}
  return to === null
    ? { fix: { start, end, text: '' } }
    : { fix: { start: fees, end, text: `currency: ${to}\n\n${text.slice(fees, start)}` } }
}
