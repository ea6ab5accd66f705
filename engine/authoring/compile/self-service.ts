/** Compiles the answers that delegates may change, and the retention periods of answers and files. */
import type { Edit, Retention } from '../../event/approval-and-cancellation-types.ts'
import { addMonths, day, addDays, type Day } from '../../lib/time.ts'
import { asOptionalText, asText, asTexts, type PlainMap } from './read-checked-values.ts'

export function toEdit({ until, fields }: PlainMap): Edit {
  return { until: day(asText(until)), fields: asTexts(fields) }
}

/** Compiles the retention periods, which are counted from the event's last day. */
export function toRetention(plain: PlainMap, lastDay: Day): Retention {
  const readUntil = (written: string | undefined): Day | null =>
    written === undefined ? null : addDuration(lastDay, written)
  return {
    answers: readUntil(asOptionalText(plain.answers)),
    files: readUntil(asOptionalText(plain.files)),
  }
}

/** Reads "3 years", "6 months" or "30 days"; other values are reported by the schema check. */
function addDuration(lastDay: Day, written: string): Day {
  const [count = '', unit = ''] = written.split(' ')
  const number = Number.parseInt(count, 10)
  if (unit.startsWith('day')) return addDays(lastDay, number)
  return addMonths(lastDay, unit.startsWith('year') ? number * 12 : number)
}
