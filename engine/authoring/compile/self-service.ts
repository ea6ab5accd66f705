/** What delegates may change themselves, and how long answers and files are kept, as the file writes it. */
import type { Edit, Keep } from '../../event/registration-types.ts'
import { addMonths, day, addDays, type Day } from '../../lib/time.ts'
import { maybe, text, texts, type Plain } from './plain-values.ts'

export function toEdit({ to, fields }: Plain): Edit {
  return { to: day(text(to)), fields: texts(fields) }
}

/** Counted from the event's last day. */
export function toKeep(plain: Plain, last: Day): Keep {
  const until = (written: string | undefined): Day | null =>
    written === undefined ? null : after(last, written)
  return { answers: until(maybe(plain.answers)), files: until(maybe(plain.files)) }
}

/** "3 years", "6 months", "30 days": what is none of them is found by the shape check. */
function after(last: Day, written: string): Day {
  const [count = '', unit = ''] = written.split(' ')
  const many = Number.parseInt(count, 10)
  if (unit.startsWith('day')) return addDays(last, many)
  return addMonths(last, unit.startsWith('year') ? many * 12 : many)
}
