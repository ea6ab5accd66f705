/** Catalogue of all finding codes, each with its reason and, for semantic checks, its check. */
import { acceptedFindingChecks } from './accepted-findings.ts'
import { ageBoundaryChecks } from './checks/rules/age-boundaries.ts'
import { misreadOptionChecks } from './checks/form/misread-options.ts'
import { sharedAddressChecks } from './checks/other-events/shared-addresses.ts'
import { consentChecks } from './checks/form/consent.ts'
import { billChecks } from './checks/prices/bill.ts'
import { deskChecks } from './checks/dates/desk-days.ts'
import { currencyChecks } from './checks/prices/currency.ts'
import { dateChecks } from './checks/dates/periods.ts'
import { eventDayChecks } from './checks/dates/event-days.ts'
import { findInvalidExampleTimes, exampleChecks } from './checks/examples/examples.ts'
import { feeChecks } from './checks/prices/fees.ts'
import type { Meta } from './finding.ts'
import { formFieldChecks } from './checks/form/form-fields.ts'
import type { Checks } from './checked-file.ts'
import { chargeChecks } from './checks/prices/charges.ts'
import { approvalChecks } from './checks/office/approval.ts'
import { cancellationChecks } from './checks/office/cancellation.ts'
import { refundChargeChecks } from './checks/office/refund-charges-and-texts.ts'
import { conditionChecks } from './checks/rules/conditions.ts'
import { invoiceChecks } from './checks/office/invoice.ts'
import { listFieldChecks } from './checks/form/list-fields.ts'
import { declaredNameChecks } from './checks/names/declared-names.ts'
import { officeListChecks } from './checks/office/lists.ts'
import { selfServiceChecks } from './checks/office/self-service.ts'
import { resultPageChecks } from './checks/texts/result-pages.ts'
import { syntaxFindings } from './syntax/syntax-findings.ts'
import { storedRegistrationChecks } from './checks/stored-registrations/broken-registrations.ts'
import { patternChecks } from './checks/form/answer-patterns.ts'
import { placeholderChecks } from './checks/names/placeholders.ts'
import { repeatedDefaultChecks } from './checks/texts/repeated-defaults.ts'
import { duplicateNameChecks } from './checks/names/duplicate-names.ts'
import { duplicateLabelChecks } from './checks/names/duplicate-labels.ts'
import { uploadChecks } from './checks/form/uploads.ts'
import { promiseChecks } from './checks/examples/promises.ts'
import { ruleChecks } from './checks/rules/categories.ts'
import { quotaAndCodeChecks } from './checks/prices/quotas-and-codes.ts'
import { paymentMethodChecks } from './checks/office/payment-methods.ts'
import { categoryOrderChecks } from './checks/prices/category-order.ts'
import { registrationWindowChecks } from './checks/dates/registration-window.ts'
import { textAmountChecks } from './checks/texts/amounts-in-texts.ts'
import { textDayChecks } from './checks/texts/days-in-texts.ts'
import { textRefundChecks } from './checks/texts/refunds-in-texts.ts'
import { unlikelyAdjustmentChecks } from './checks/prices/unlikely-adjustments.ts'
import { unlikelyAmountChecks } from './checks/prices/unlikely-amounts.ts'
import { unlikelyChoiceChecks } from './checks/form/unlikely-choices.ts'
import { unlikelyQuotaChecks } from './checks/prices/unlikely-quotas.ts'
import { unlikelySettingChecks } from './checks/form/unlikely-settings.ts'
import { unlikelyTextChecks } from './checks/texts/unlikely-texts.ts'
import { messageChecks } from './checks/texts/messages-and-rules.ts'
import { textPercentChecks } from './checks/texts/percents-in-texts.ts'
import { textLimitChecks } from './checks/texts/limits-in-texts.ts'
import { textEventDateChecks } from './checks/texts/event-dates-in-texts.ts'
import { schemaSizeChecks } from './checks/form/schema-size.ts'
import { eventTitleChecks } from './checks/texts/event-title.ts'
import { unfilledPlaceholderChecks } from './checks/texts/unfilled-placeholders.ts'
import { itemChecks } from './checks/prices/items.ts'
import { itemNameChecks } from './checks/names/names-in-items.ts'
import { unfinishedTextChecks } from './checks/texts/unfinished-texts.ts'
import { labelChecks } from './checks/form/labels.ts'
import { numberInLabelChecks } from './checks/names/numbers-in-names.ts'
import { itemPeriodChecks } from './checks/prices/item-periods.ts'
import { methodPriceChecks } from './checks/prices/method-prices.ts'
import { taxRuleChecks } from './checks/prices/tax-rules.ts'
import { taxChecks } from './checks/prices/tax.ts'
import { schemaChecks } from './schema/check-schema.ts'
import { typingMistakeChecks } from './checks/texts/typing-mistakes.ts'

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

/** Semantic checks, in the order of the codes. A check can list the codes that make it redundant (`after`). */
export const checks: Checks = {
  ...typingMistakeChecks,
  ...declaredNameChecks,
  ...itemNameChecks,
  ...duplicateNameChecks,
  ...placeholderChecks,
  EV105: { ...schemaChecks.EV105, find: findInvalidExampleTimes },
  ...feeChecks,
  ...dateChecks,
  ...eventDayChecks,
  ...registrationWindowChecks,
  ...deskChecks,
  ...currencyChecks,
  ...paymentMethodChecks,
  ...methodPriceChecks,
  ...cancellationChecks,
  ...refundChargeChecks,
  ...approvalChecks,
  ...selfServiceChecks,
  ...invoiceChecks,
  ...taxChecks,
  ...taxRuleChecks,
  ...ruleChecks,
  ...categoryOrderChecks,
  ...itemChecks,
  ...itemPeriodChecks,
  ...billChecks,
  ...chargeChecks,
  ...quotaAndCodeChecks,
  ...textAmountChecks,
  ...misreadOptionChecks,
  ...conditionChecks,
  ...ageBoundaryChecks,
  ...schemaSizeChecks,
  ...formFieldChecks,
  ...patternChecks,
  ...listFieldChecks,
  ...consentChecks,
  ...unfinishedTextChecks,
  ...labelChecks,
  ...numberInLabelChecks,
  ...uploadChecks,
  ...repeatedDefaultChecks,
  ...resultPageChecks,
  ...textDayChecks,
  ...textEventDateChecks,
  ...textRefundChecks,
  ...textLimitChecks,
  ...textPercentChecks,
  ...messageChecks,
  ...unlikelyAdjustmentChecks,
  ...unlikelySettingChecks,
  ...unlikelyChoiceChecks,
  ...unlikelyAmountChecks,
  ...unlikelyQuotaChecks,
  ...unlikelyTextChecks,
  ...officeListChecks,
  ...eventTitleChecks,
  ...duplicateLabelChecks,
  ...unfilledPlaceholderChecks,
  ...exampleChecks,
  ...promiseChecks,
  ...demo,
}

export const catalogue: Readonly<Record<string, Meta>> = {
  ...syntaxFindings,
  ...schemaChecks,
  ...checks,
  ...sharedAddressChecks,
  ...acceptedFindingChecks,
  ...storedRegistrationChecks,
}
