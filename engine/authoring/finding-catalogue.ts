/** Catalogue of all finding codes, each with its reason and, for semantic checks, its check. */
import { allowed } from './accepted-findings.ts'
import { answers } from './checks/form/misread-options.ts'
import { across } from './checks/other-events/shared-addresses.ts'
import { consent } from './checks/form/consent.ts'
import { bill } from './checks/prices/bill.ts'
import { dates } from './checks/dates/periods.ts'
import { eventDays } from './checks/dates/event-days.ts'
import { badMoment, examples } from './checks/examples/examples.ts'
import { fees } from './checks/prices/fees.ts'
import type { Meta } from './finding.ts'
import { form } from './checks/form/form-fields.ts'
import type { Checks } from './checked-file.ts'
import { charged } from './checks/prices/charges.ts'
import { approval } from './checks/office/approval.ts'
import { cancellation } from './checks/office/cancellation.ts'
import { conditions } from './checks/rules/conditions.ts'
import { invoice } from './checks/office/invoice.ts'
import { lists } from './checks/form/list-fields.ts'
import { names } from './checks/names/declared-names.ts'
import { office } from './checks/office/lists.ts'
import { ownPage } from './checks/office/self-service.ts'
import { pages } from './checks/texts/result-pages.ts'
import { reading } from './syntax/syntax-findings.ts'
import { past } from './checks/stored-registrations/broken-registrations.ts'
import { patterns } from './checks/form/answer-patterns.ts'
import { placeholders } from './checks/names/placeholders.ts'
import { restated } from './checks/texts/repeated-defaults.ts'
import { duplicateNames } from './checks/names/duplicate-names.ts'
import { duplicateLabels } from './checks/names/duplicate-labels.ts'
import { uploads } from './checks/form/uploads.ts'
import { promises } from './checks/examples/promises.ts'
import { rules } from './checks/rules/categories.ts'
import { quotasAndCodes } from './checks/prices/quotas-and-codes.ts'
import { paymentMethods } from './checks/office/payment-methods.ts'
import { whoPays } from './checks/prices/category-order.ts'
import { window } from './checks/dates/registration-window.ts'
import { amountsInTexts } from './checks/texts/amounts-in-texts.ts'
import { daysInTexts } from './checks/texts/days-in-texts.ts'
import { eventDatesInTexts } from './checks/texts/event-dates-in-texts.ts'
import { growth } from './checks/form/schema-size.ts'
import { eventTitle } from './checks/texts/event-title.ts'
import { unfilledPlaceholders } from './checks/texts/unfilled-placeholders.ts'
import { sold } from './checks/prices/items.ts'
import { soldNames } from './checks/names/names-in-items.ts'
import { standIns } from './checks/texts/unfinished-texts.ts'
import { labels } from './checks/form/labels.ts'
import { namedNumbers } from './checks/names/numbers-in-names.ts'
import { tax } from './checks/prices/tax.ts'
import { shape } from './schema/check-schema.ts'
import { typing } from './checks/texts/typing-mistakes.ts'

const demo: Checks = {
  EV991: {
    slug: 'demo-values',
    severity: 'note',
    why: 'Placeholder values must not reach delegates.',
    after: ['EV212'],
    find: ({ file }) =>
      file.demo === undefined
        ? []
        : [
            {
              at: 'demo',
              part: 'key',
              message: `${file.demo.length} value${file.demo.length === 1 ? ' is a placeholder' : 's are placeholders'}: ${file.demo.join(', ')}`,
              help: 'replace each, then remove it from this list',
            },
          ],
  },
}

/** Semantic checks, in the order of the codes; a check sees which codes were reported before it. */
export const checks: Checks = {
  ...typing,
  ...names,
  ...soldNames,
  ...duplicateNames,
  ...placeholders,
  EV105: { ...shape.EV105, find: badMoment },
  ...fees,
  ...dates,
  ...eventDays,
  ...window,
  ...paymentMethods,
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
  ...quotasAndCodes,
  ...amountsInTexts,
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
  ...daysInTexts,
  ...eventDatesInTexts,
  ...office,
  ...eventTitle,
  ...duplicateLabels,
  ...unfilledPlaceholders,
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
