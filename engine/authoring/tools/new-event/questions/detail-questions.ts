/** The optional questions of a new event: refunds, corrections, conference days, account, colour. */
import { INR } from '../../../../lib/money.ts'
import { err, ok } from '../../../../lib/result.ts'
import { addDays, formatDay } from '../../../../lib/time.ts'
import { listPeriodLabels } from '../price-periods.ts'
import type { NewEventAnswers } from '../sample-options.ts'
import type { DetailName, Question } from './question.ts'
import { readDays } from './read-days.ts'
import { readYes } from './read-yes.ts'
import { readRefundSteps } from './refund-steps.ts'

const NO_REFUND = /^(?:no(?:ne)?\b.*|not? refund\w*|never|nil|0\s*%?|-)$/i
const DESK_WORDS = /\b(?:desk|counter|staff|spot)\b/i
const ONLINE_WORDS = /\b(?:online|form|both)\b/i

export const DETAIL_QUESTIONS: readonly (Question & { readonly name: DetailName })[] = [
  {
    name: 'refund',
    buildQuestion: ({ free }) => (free === true ? null : 'What is refunded if a delegate cancels?'),
    example: () => 'until 31 January 2027: 75%; until 28 February 2027: 50%; or no refund',
    parse: (answer, answers, today) => {
      if (NO_REFUND.test(answer.trim())) return ok({ ...answers, refund: [] })
      const { steps, problems } = readRefundSteps(answer, answers, today)
      const [first] = problems
      return first === undefined ? ok({ ...answers, refund: steps }) : err(first.message)
    },
  },
  {
    name: 'edit-until',
    buildQuestion: () => 'What is the last day for delegates to change their answers?',
    example: () => '5 March 2027, such as the day before badges are printed',
    parse: (answer, answers, today) => {
      const { from, to = from } = answers
      const days = readDays(answer, today)
      if (!days.ok) return days
      const [, editUntil] = days.value
      if (editUntil < today)
        return err(`${formatDay(editUntil)} is in the past. Is the year correct?`)
      return to !== undefined && editUntil > to
        ? err(`${formatDay(editUntil)} is after the conference, which ends on ${formatDay(to)}.`)
        : ok({ ...answers, editUntil })
    },
  },
  {
    name: 'on-site',
    buildQuestion: () => 'Can delegates register on the days of the conference?',
    example: () => 'online, only at the registration desk, or no',
    parse: (answer, answers) => {
      const isYes = readYes(answer)
      const onSite = DESK_WORDS.test(answer)
        ? 'desk'
        : isYes === false || /^none$/i.test(answer.trim())
          ? 'none'
          : isYes === true || ONLINE_WORDS.test(answer)
            ? 'online'
            : null
      if (onSite === null)
        return err(
          `"${answer}" is not an answer. Write online, only at the registration desk, or no.`,
        )
      const problem = explainOnSite(onSite, answers)
      return problem === null ? ok({ ...answers, onSite }) : err(problem)
    },
  },
  {
    name: 'account',
    buildQuestion: ({ free, currency = INR }) =>
      free === true || currency !== INR ? null : 'Which payment account receives the fees?',
    example: () =>
      'society, the short name that the person who runs your Rollcall server gives you',
    parse: (answer, answers) => {
      const account = answer
        .trim()
        .replace(/^AIRPAY_(.*?)_*(?:…|\.\.\.)?$/, '$1')
        .toLowerCase()
        .replace(/[\s_-]+/g, '-')
      // A name with a long number probably contains a bank account number, which the file would publish.
      return /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(account) && !/\d{5}/.test(account)
        ? ok({ ...answers, account })
        : err(
            `"${answer.trim()}" is not the short name of a payment account, such as society. It is not the number of a bank account. Ask the person who runs your Rollcall server.`,
          )
    },
  },
  {
    name: 'colour',
    buildQuestion: () => 'Which colour should the pages use?',
    example: () => '#2F5D8A, the colour of your logo',
    parse: (answer, answers) => {
      const [, digits = ''] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(answer.trim()) ?? []
      const sixDigits =
        digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits
      return sixDigits === ''
        ? err(`"${answer}" is not a colour. Write # and six letters or digits, such as #2F5D8A.`)
        : ok({ ...answers, colour: `#${sixDigits.toUpperCase()}` })
    },
  },
]

/** Returns a message if the dates of the periods contradict the answer. Returns null if they do not. */
function explainOnSite(
  onSite: NonNullable<NewEventAnswers['onSite']>,
  { from, closes, opens, periodEnds = [], periodStarts, periodLabels }: NewEventAnswers,
): string | null {
  if (from === undefined) return null
  if (onSite === 'online')
    return closes === undefined || closes >= from
      ? null
      : `The prices apply until ${formatDay(closes)}, before the conference begins. Change the last day in the fee table, or choose another answer.`
  if (opens !== undefined && opens >= from)
    return `Registration opens on ${formatDay(opens)}, when the conference has already begun. Change that date in the fee table, or choose another answer.`
  const end = periodEnds.at(-1)
  const start = periodStarts?.at(-1) ?? (end === undefined ? null : addDays(end, 1))
  const label = listPeriodLabels(periodEnds.length + 1, periodLabels).at(-1)
  return onSite === 'none' && start !== null && start >= from
    ? `“${label}” begins on ${formatDay(start)}, when the conference has already begun. Change that date in the fee table, or choose another answer.`
    : null
}
