/** Checks EV437, EV438: front desk days follow the form's days, have prices, and are announced. */
import { addDays, formatDay, type Day } from '../../../lib/time.ts'
import { findPeriodOn } from '../../../pricing/price-periods.ts'
import type { Draft } from '../../finding.ts'
import type { Check } from '../../checked-file.ts'

const deskDaysCheck: Check = {
  slug: 'desk-days',
  severity: 'error',
  why: 'On front desk days, staff register delegates after the form has closed. The desk must close later than the form, and each of its days needs a price.',
  after: ['EV404', 'EV406', 'EV407', 'EV410', 'EV418', 'EV419'],
  find: ({ config, file }) => {
    const { desk, closes } = config.registration
    if (desk === undefined) return []
    const deskInFile = file.registration?.desk
    const getPath = (key: 'opens' | 'closes') => ({
      at: deskInFile?.[key] === undefined ? 'registration.desk' : `registration.desk.${key}`,
      ...(deskInFile?.[key] === undefined && { part: 'key' as const }),
    })
    const days = `${formatDay(desk.opens)} to ${formatDay(desk.closes)}`
    if (desk.closes < desk.opens)
      return [
        {
          ...getPath('closes'),
          message: `the front desk closes before it opens (${days})`,
          help: 'swap the two dates, or correct the month or year',
        },
      ]
    if (closes === undefined || desk.closes <= closes)
      return [
        {
          ...getPath('closes'),
          message: `the form is open on all days of the front desk${closes === undefined ? '' : ` (until ${formatDay(closes)})`}; staff can already register delegates while the form is open`,
          ...(file.registration?.closes === undefined
            ? {}
            : { related: [{ at: 'registration.closes', message: 'the form closes here' }] }),
          help: 'write the last day of the form as registration.closes, or remove `desk`',
        },
      ]
    if (desk.closes > config.to)
      return [
        {
          ...getPath('closes'),
          message: `the front desk closes on ${formatDay(desk.closes)}, after the event is over`,
          related: [{ at: 'event.to', message: 'the last day of the event' }],
          help: `write ${config.to} or an earlier date`,
        },
      ]
    const dayWithoutPrice = findFirstDayWithoutPrice(desk)
    return dayWithoutPrice === null
      ? []
      : [
          {
            ...getPath(dayWithoutPrice === desk.opens ? 'opens' : 'closes'),
            message: `the front desk is open on ${formatDay(dayWithoutPrice)}, but no price applies on that day`,
            help: `add a period that contains this day, such as {id: spot, label: On the spot, from: ${dayWithoutPrice}}`,
          } satisfies Draft,
        ]

    function findFirstDayWithoutPrice({ opens, closes: lastDay }: { opens: Day; closes: Day }) {
      if (config.fees.periods.length === 0) return null
      const edges = config.fees.periods.flatMap(({ from, to }) => [
        ...(from === undefined ? [] : [addDays(from, -1)]),
        ...(to === undefined ? [] : [addDays(to, 1)]),
      ])
      return (
        [opens, ...edges.filter((day) => opens < day && day <= lastDay).toSorted()].find(
          (day) => findPeriodOn(config.fees, day) === null,
        ) ?? null
      )
    }
  },
}

const DESK_WORDS = /\b(?:desk|counter|spot|on-?site|venue|door)\b/i

const closedTextOmitsDeskCheck: Check = {
  slug: 'closed-text-omits-desk',
  severity: 'warning',
  why: 'Delegates read this text after the form has closed. If it does not mention the front desk, they do not know that they can still register.',
  after: ['EV437'],
  find: ({ config, file }) => {
    const { desk } = config.registration
    const text = file.closed?.text
    return desk === undefined || text === undefined || DESK_WORDS.test(text)
      ? []
      : [
          {
            at: 'closed.text',
            message: `the text does not mention the front desk, which is open from ${formatDay(desk.opens)} to ${formatDay(desk.closes)}`,
            related: [{ at: 'registration.desk', part: 'key', message: 'the front desk days' }],
            help: 'say when and where delegates can register, or remove `closed`: the page then states the front desk days',
          },
        ]
  },
}

export const deskChecks = { EV437: deskDaysCheck, EV438: closedTextOmitsDeskCheck }
