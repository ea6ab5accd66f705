/** Every code there is, with its reason and, where it looks at the meaning, what finds it. */
import { allowed } from './allow.ts'
import { answers } from './checks/answers.ts'
import { across } from './checks/across.ts'
import { consent } from './checks/consent.ts'
import { bill } from './checks/bill.ts'
import { dates } from './checks/dates.ts'
import { eventDays } from './checks/event-days.ts'
import { badMoment, examples } from './checks/examples.ts'
import { fees } from './checks/fees.ts'
import type { Meta } from './finding.ts'
import { form } from './checks/form.ts'
import type { Checks } from './model.ts'
import { charged } from './checks/charged.ts'
import { approval } from './checks/approval.ts'
import { cancellation } from './checks/cancellation.ts'
import { conditions } from './checks/conditions.ts'
import { invoice } from './checks/invoice.ts'
import { lists } from './checks/lists.ts'
import { names } from './checks/names.ts'
import { office } from './checks/office.ts'
import { ownPage } from './checks/own-page.ts'
import { pages } from './checks/pages.ts'
import { reading } from './reading/reading.ts'
import { past } from './checks/past.ts'
import { patterns } from './checks/patterns.ts'
import { placeholders } from './checks/placeholders.ts'
import { restated } from './checks/restated.ts'
import { taken } from './checks/taken.ts'
import { uploads } from './checks/uploads.ts'
import { promises } from './checks/promises.ts'
import { rules } from './checks/rules.ts'
import { waysOn } from './checks/ways-on.ts'
import { waysToPay } from './checks/ways-to-pay.ts'
import { whoPays } from './checks/who-pays.ts'
import { window } from './checks/window.ts'
import { saidAmounts } from './checks/said-amounts.ts'
import { saidDays } from './checks/said-days.ts'
import { saidEvent } from './checks/said-event.ts'
import { growth } from './checks/growth.ts'
import { sense } from './checks/sense.ts'
import { sold } from './checks/sold.ts'
import { soldNames } from './checks/sold-names.ts'
import { standIns } from './checks/stand-ins.ts'
import { labels } from './checks/labels.ts'
import { namedNumbers } from './checks/named-numbers.ts'
import { tax } from './checks/tax.ts'
import { shape } from './shape.ts'
import { typing } from './checks/typing.ts'

const demo: Checks = {
  EV991: {
    slug: 'demo-values',
    severity: 'note',
    why: 'Stand-ins must not reach a delegate.',
    after: ['EV212'],
    find: ({ file }) =>
      file.demo === undefined
        ? []
        : [
            {
              at: 'demo',
              part: 'key',
              message: `${file.demo.length} value${file.demo.length === 1 ? ' is a stand-in' : 's are stand-ins'}: ${file.demo.join(', ')}`,
              help: 'replace each, then remove it from this list',
            },
          ],
  },
}

/** What looks at the meaning, in the order of the codes; a check sees which codes were reported before it. */
export const checks: Checks = {
  ...typing,
  ...names,
  ...soldNames,
  ...taken,
  ...placeholders,
  EV105: { ...shape.EV105, find: badMoment },
  ...fees,
  ...dates,
  ...eventDays,
  ...window,
  ...waysToPay,
  ...cancellation,
  ...approval,
  ...ownPage,
  ...invoice,
  ...tax,
  ...rules,
  ...whoPays,
  ...sold,
  ...bill,
  ...charged,
  ...waysOn,
  ...saidAmounts,
  ...answers,
  ...conditions,
  ...growth,
  ...form,
  ...patterns,
  ...lists,
  ...consent,
  ...standIns,
  ...labels,
  ...namedNumbers,
  ...uploads,
  ...restated,
  ...pages,
  ...saidDays,
  ...saidEvent,
  ...office,
  ...sense,
  ...examples,
  ...promises,
  ...demo,
}

export const catalogue: Readonly<Record<string, Meta>> = {
  ...reading,
  ...shape,
  ...checks,
  ...across,
  ...allowed,
  ...past,
}
