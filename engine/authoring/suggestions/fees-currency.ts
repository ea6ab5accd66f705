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
  const currencyHelp =
    suggestion === null ? 'write an ISO 4217 code, such as EUR' : `write ${suggestion}`
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
  const written = source.getScalar(path)
  if (valueText.trim() === '')
    return { at: path, part: 'key', message: '`currency` is empty', help: currencyHelp }
  return {
    at: path,
    message: `\`${valueText}\` is not a currency code`,
    help: currencyHelp,
    ...(suggestion === null || written === null
      ? {}
      : { fix: { start: written.span[0], end: written.span[1], text: suggestion } }),
  }
}

/**
 * Returns the fix that removes `fees.currency` and, if `newCurrency` is not null, writes it above `fees`. Returns no
 * fix if other entries are on the same line.
 */
export function moveCurrency(source: Source, newCurrency: Currency | null): Pick<Draft, 'fix'> {
  const { text } = source
  const entry = source.place('fees.currency', 'entry')
  const start = text.lastIndexOf('\n', entry.start.offset - 1) + 1
  const newLine = text.indexOf('\n', entry.end.offset)
  const end = newLine === -1 ? text.length : newLine + 1
  const feesOffset = source.place('fees', 'key').start.offset
  const isOnOwnLine = /^ *currency *:[^#{}[\],\n]*(?:#[^\n]*)?\n?$/.test(text.slice(start, end))
  // If `fees` is in braces or does not start its line, no fix is safe.
  if (!isOnOwnLine || feesOffset >= start || (feesOffset > 0 && text[feesOffset - 1] !== '\n'))
    return {}
  return newCurrency === null
    ? { fix: { start, end, text: '' } }
    : {
        fix: {
          start: feesOffset,
          end,
          text: `currency: ${newCurrency}\n\n${text.slice(feesOffset, start)}`,
        },
      }
}
