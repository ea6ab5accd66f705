/** Catalogue of all finding codes, each with its reason and, for semantic checks, its check. */
import { acceptedFindings } from './accepted-findings.ts'
import { ageBoundaries } from './checks/rules/age-boundaries.ts'
import { answers } from './checks/form/misread-options.ts'
import { sharedAddresses } from './checks/other-events/shared-addresses.ts'
import { consent } from './checks/form/consent.ts'
import { bill } from './checks/prices/bill.ts'
import { desk } from './checks/dates/desk-days.ts'
import { currency } from './checks/prices/currency.ts'
import { dates } from './checks/dates/periods.ts'
import { eventDays } from './checks/dates/event-days.ts'
import { findInvalidMoments, examples } from './checks/examples/examples.ts'
import { fees } from './checks/prices/fees.ts'
import type { Meta } from './finding.ts'
import { form } from './checks/form/form-fields.ts'
import type { Checks } from './checked-file.ts'
import { charges } from './checks/prices/charges.ts'
import { approval } from './checks/office/approval.ts'
import { cancellation } from './checks/office/cancellation.ts'
import { refundChargesAndTexts } from './checks/office/refund-charges-and-texts.ts'
import { conditions } from './checks/rules/conditions.ts'
import { invoice } from './checks/office/invoice.ts'
import { lists } from './checks/form/list-fields.ts'
import { names } from './checks/names/declared-names.ts'
import { office } from './checks/office/lists.ts'
import { selfService } from './checks/office/self-service.ts'
import { pages } from './checks/texts/result-pages.ts'
import { syntaxFindings } from './syntax/syntax-findings.ts'
import { storedRegistrations } from './checks/stored-registrations/broken-registrations.ts'
import { patterns } from './checks/form/answer-patterns.ts'
import { placeholders } from './checks/names/placeholders.ts'
import { repeatedDefaults } from './checks/texts/repeated-defaults.ts'
import { duplicateNames } from './checks/names/duplicate-names.ts'
import { duplicateLabels } from './checks/names/duplicate-labels.ts'
import { uploads } from './checks/form/uploads.ts'
import { promises } from './checks/examples/promises.ts'
import { rules } from './checks/rules/categories.ts'
import { quotasAndCodes } from './checks/prices/quotas-and-codes.ts'
import { paymentMethods } from './checks/office/payment-methods.ts'
import { categoryOrder } from './checks/prices/category-order.ts'
import { window } from './checks/dates/registration-window.ts'
import { amountsInTexts } from './checks/texts/amounts-in-texts.ts'
import { daysInTexts } from './checks/texts/days-in-texts.ts'
import { refundsInTexts } from './checks/texts/refunds-in-texts.ts'
import { unlikelyAdjustments } from './checks/prices/unlikely-adjustments.ts'
import { unlikelyAmounts } from './checks/prices/unlikely-amounts.ts'
import { unlikelyChoices } from './checks/form/unlikely-choices.ts'
import { unlikelyQuotas } from './checks/prices/unlikely-quotas.ts'
import { unlikelySettings } from './checks/form/unlikely-settings.ts'
import { unlikelyTexts } from './checks/texts/unlikely-texts.ts'
import { messagesAndRules } from './checks/texts/messages-and-rules.ts'
import { percentsInTexts } from './checks/texts/percents-in-texts.ts'
import { limitsInTexts } from './checks/texts/limits-in-texts.ts'
import { eventDatesInTexts } from './checks/texts/event-dates-in-texts.ts'
import { schemaSize } from './checks/form/schema-size.ts'
import { eventTitle } from './checks/texts/event-title.ts'
import { unfilledPlaceholders } from './checks/texts/unfilled-placeholders.ts'
import { items } from './checks/prices/items.ts'
import { itemNames } from './checks/names/names-in-items.ts'
import { unfinishedTexts } from './checks/texts/unfinished-texts.ts'
import { labels } from './checks/form/labels.ts'
import { namedNumbers } from './checks/names/numbers-in-names.ts'
import { itemPeriods } from './checks/prices/item-periods.ts'
import { methodPrices } from './checks/prices/method-prices.ts'
import { taxRules } from './checks/prices/tax-rules.ts'
import { tax } from './checks/prices/tax.ts'
import { schemaChecks } from './schema/check-schema.ts'
import { typingMistakes } from './checks/texts/typing-mistakes.ts'

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
  ...typingMistakes,
  ...names,
  ...itemNames,
  ...duplicateNames,
  ...placeholders,
  EV105: { ...schemaChecks.EV105, find: findInvalidMoments },
  ...fees,
  ...dates,
  ...eventDays,
  ...window,
  ...desk,
  ...currency,
  ...paymentMethods,
  ...methodPrices,
  ...cancellation,
  ...refundChargesAndTexts,
  ...approval,
  ...selfService,
  ...invoice,
  ...tax,
  ...taxRules,
  ...rules,
  ...categoryOrder,
  ...items,
  ...itemPeriods,
  ...bill,
  ...charges,
  ...quotasAndCodes,
  ...amountsInTexts,
  ...answers,
  ...conditions,
  ...ageBoundaries,
  ...schemaSize,
  ...form,
  ...patterns,
  ...lists,
  ...consent,
  ...unfinishedTexts,
  ...labels,
  ...namedNumbers,
  ...uploads,
  ...repeatedDefaults,
  ...pages,
  ...daysInTexts,
  ...eventDatesInTexts,
  ...refundsInTexts,
  ...limitsInTexts,
  ...percentsInTexts,
  ...messagesAndRules,
  ...unlikelyAdjustments,
  ...unlikelySettings,
  ...unlikelyChoices,
  ...unlikelyAmounts,
  ...unlikelyQuotas,
  ...unlikelyTexts,
  ...office,
  ...eventTitle,
  ...duplicateLabels,
  ...unfilledPlaceholders,
  ...examples,
  ...promises,
  ...demo,
}

export const catalogue: Readonly<Record<string, Meta>> = {
  ...syntaxFindings,
  ...schemaChecks,
  ...checks,
  ...sharedAddresses,
  ...acceptedFindings,
  ...storedRegistrations,
}
