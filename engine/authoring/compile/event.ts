/**
 * Compiles a file that passed the schema check to an EventConfig.
 *
 * Fills in the defaults of `_shared/texts.yaml`, converts amounts to minor units, looks up prices by column name, and
 * resolves the names of lists and gateways. It relies only on the schema: unknown names remain empty, and the checks
 * report them.
 */
import type { EventConfig, Field, Section, SiteTexts } from '../../event/config.ts'
import { listDelegateMethods, buildMethodQuestion } from '../../payments/payment-methods.ts'
import { listCurrenciesOfEvent } from '../../rules/category.ts'
import { findRoles } from '../../event/delegate-fields.ts'
import { INR, readCurrency } from '../../lib/money.ts'
import { day, type Day } from '../../lib/time.ts'
import { toApprovals } from './approval.ts'
import { resolveAges, toCondition } from './conditions.ts'
import { toExamples } from './examples.ts'
import { isCharged, toFees, toPricedMethods } from './fees.ts'
import { toCancellation } from './cancellation.ts'
import { toEdit, toRetention } from './self-service.ts'
import { toInvoice } from './invoice.ts'
import { toQuotasAndCodes } from './discount-codes-and-members.ts'
import { toCategory, toField } from './form.ts'
import { compilePayment } from './payment-methods.ts'
import { toAdmin } from './office-lists.ts'
import { EMPTY_PAGE, compileResultErrors, toButton, toPage } from './result-pages.ts'
import {
  removeUndefined,
  asList,
  asMap,
  asOptionalText,
  asOptionalDay,
  asText,
  asTexts,
  asTextMap,
  type PlainMap,
  type PlainShared,
} from './read-checked-values.ts'
import {
  buildDefaultApi,
  DEFAULT_ERROR_BUTTONS,
  DEFAULT_FREE_BUTTON,
  DEFAULT_THEME_COLOUR,
  DEFAULT_LOOKUP,
  DEFAULT_MESSAGE_DISPLAY,
  NEVER,
  ORDER_NUMBER_DIGITS,
  DEFAULT_RESULT_AMOUNTS,
} from '../../event/default-settings-and-limits.ts'

export function toConfig(file: PlainMap, shared: PlainShared): EventConfig {
  const event = asMap(file.event)
  const rawForm = asMap(file.form)
  const formTexts = asMap(shared.texts.form)
  const categories = asList(file.categories).map(asMap).map(toCategory)
  const sections = asList(rawForm.sections).map(asMap)
  const days = { from: day(asText(event.from)), to: day(asText(event.to)) }
  const currency = readCurrency(file.currency) ?? INR
  const fees = toFees(asMap(file.fees), currency, categories)
  const countedFields = new Set([
    ...fees.items.flatMap(({ count, times }) => [count?.field, times]),
    ...asList(file.quotas).map((quota) => asOptionalText(asMap(quota).count)),
  ])
  const amountFields = new Set(fees.items.map(({ amountIn }) => amountIn))
  const compiledFields = sections.flatMap((section, index) =>
    asList(section.fields)
      .map(asMap)
      .map((field) => toField(field, index, { categories, shared, days }))
      .map((field) =>
        field.type !== 'number'
          ? field
          : {
              ...field,
              ...(countedFields.has(field.id) && { isWhole: true }),
              ...(amountFields.has(field.id) && { isAmount: true }),
            },
      ),
  )
  const alsoStored = asList(rawForm.also_stored)
    .map(asMap)
    .map((value) => ({
      id: asText(value.id),
      type: value.type as 'text' | 'number' | 'money' | 'date',
      label: asText(value.label),
    }))
  const roles = findRoles([...compiledFields, ...alsoStored])
  const paymentConfig = compilePayment(file.payment, { categories, shared, days })
  const fields = compiledFields.map((field) =>
    paymentConfig.payment !== null && field.type === 'email' && field.id === roles.email
      ? { ...field, toGateway: true }
      : field,
  )
  const method = buildMethodQuestion(
    paymentConfig,
    listCurrenciesOfEvent({ currency, categories }),
    sections.length,
    asText(formTexts.required),
  )
  const orderId = asMap(file.order_id)
  const id = asText(event.id)
  const site = toSiteTexts(shared.texts)
  const summary = { ...asMap(formTexts.summary), ...asMap(rawForm.summary) }
  const freeButton = asOptionalText(summary.free_button) ?? DEFAULT_FREE_BUTTON
  const panel = rawForm.panel === undefined ? null : asMap(rawForm.panel)
  const stepper = rawForm.stepper === undefined ? null : asMap(rawForm.stepper)
  const withoutPayment = { ...asMap(formTexts.without_payment), ...asMap(rawForm.without_payment) }
  // The label of the button must not promise payment if delegates may pay by bank transfer.
  const hasOnlyCardPayment =
    paymentConfig.payment !== null && listDelegateMethods(paymentConfig).length === 1
  const readOptionalMessage = (value: unknown): string | null =>
    value === 'none' ? null : asText(value)
  const api = asMap(file.api)
  const apiDefaults = buildDefaultApi(id, asOptionalText(api.register))
  const eventDetails = {
    id,
    title: asText(event.title),
    ...days,
    venue: asText(event.venue),
    status: event.status === 'closed' ? ('closed' as const) : ('open' as const),
    support: asText(event.support),
    ...removeUndefined({
      theme: asOptionalText(event.theme),
      about: asOptionalText(event.about),
      hours: asOptionalText(event.hours),
      office: asOptionalText(event.office),
    }),
  }
  const categoryChoice: EventConfig['categoryChoice'] =
    asMap(file.category).chosen_in !== undefined
      ? { by: 'field', field: asText(asMap(file.category).chosen_in) }
      : {
          by: 'rules',
          rules: asList(asMap(file.category).rules)
            .map(asMap)
            .map((rule) =>
              rule.otherwise === undefined
                ? { when: toCondition(rule.when), then: asText(rule.then) }
                : { when: null, then: asText(rule.otherwise) },
            ),
        }
  const config: EventConfig = {
    ...eventDetails,
    demo: asTexts(file.demo),
    look: {
      colour: asOptionalText(asMap(file.look).colour) ?? DEFAULT_THEME_COLOUR,
      ...removeUndefined({ logo: asOptionalText(asMap(file.look).logo) }),
    },
    ...removeUndefined({ words: file.words === undefined ? undefined : asTextMap(file.words) }),
    closed:
      file.closed === undefined
        ? null
        : { heading: asText(asMap(file.closed).heading), text: asText(asMap(file.closed).text) },
    registration: removeUndefined({
      opens: asOptionalDay(asMap(file.registration).opens),
      closes: readClosingDay(asMap(file.registration).closes, days.to),
      desk: readDeskDays(asMap(file.registration).desk, days),
    }),
    routes: {
      form: asText(asMap(file.routes).form),
      also: asTexts(asMap(file.routes).also),
      success: asText(asMap(file.routes).success),
      failed: asText(asMap(file.routes).failed),
    },
    currency,
    categories,
    categoryChoice,
    fees: {
      ...fees,
      ...removeUndefined({ methods: toPricedMethods(fees, paymentConfig.methods, fields) }),
    },
    ...addCountMax(toQuotasAndCodes(file), fields),
    approvals: toApprovals(file.approval),
    sections: [
      ...sections.map((section): Section => ({
        title: asText(section.title),
        fields: asList(section.fields).map((field) => asText(asMap(field).id)),
        ...(section.show_when === undefined ? {} : { showWhen: toCondition(section.show_when) }),
      })),
      ...(method === null ? [] : [method.section]),
    ],
    fields: method === null ? fields : [...fields, method.field],
    alsoStored,
    roles,
    form: {
      pages: rawForm.pages === 'sections' ? 'sections' : 'one',
      stepper:
        stepper === null
          ? null
          : {
              steps: asTexts(stepper.steps),
              ...(typeof stepper.stays_on === 'number' ? { staysOn: stepper.stays_on } : {}),
            },
      panel:
        panel === null
          ? null
          : {
              lines: asTexts(panel.lines),
              ...removeUndefined({ title: asOptionalText(panel.title) }),
            },
      summary: {
        title: asText(summary.title),
        empty: asText(summary.empty),
        lines: asTexts(summary.lines).filter((line) =>
          isCharged(fees, line),
        ) as EventConfig['form']['summary']['lines'],
        button:
          asOptionalText(asMap(rawForm.summary).button) ??
          (hasOnlyCardPayment ? asText(summary.button) : freeButton),
        freeButton,
        busy: asText(summary.busy),
      },
      notices:
        (rawForm.notices as EventConfig['form']['notices'] | undefined) ?? DEFAULT_MESSAGE_DISPLAY,
      noticeMs: site.noticeMs,
      withoutPayment: {
        notice: readOptionalMessage(withoutPayment.notice),
        alert: readOptionalMessage(withoutPayment.alert),
      },
      failure: asText(rawForm.failure ?? formTexts.failure),
    },
    orderId: {
      prefix: asText(orderId.prefix),
      followedBy: orderId.followed_by === 'anything' ? 'anything' : 'digits',
      digits: typeof orderId.digits === 'number' ? orderId.digits : ORDER_NUMBER_DIGITS,
    },
    cancellation:
      file.cancellation === undefined ? null : toCancellation(asMap(file.cancellation), currency),
    edit: file.edit === undefined ? null : toEdit(asMap(file.edit)),
    retention: toRetention(asMap(file.retention), days.to),
    invoice: file.invoice === undefined ? null : toInvoice(asMap(file.invoice)),
    ...paymentConfig,
    api: {
      register: apiDefaults.register,
      registration: asOptionalText(api.registration) ?? apiDefaults.registration,
      tariff: asOptionalText(api.tariff) ?? apiDefaults.tariff,
      gatewayReturn: asOptionalText(api.gateway_return) ?? null,
      sends: asTextMap(api.sends),
      returns: asTextMap(api.returns),
    },
    results: {
      amounts:
        (asMap(file.results).amounts as EventConfig['results']['amounts'] | undefined) ??
        DEFAULT_RESULT_AMOUNTS,
      errors: compileResultErrors({
        ...asMap(shared.texts.results),
        ...asMap(asMap(file.results).errors),
      }),
      errorButtons:
        asMap(file.results).error_buttons === undefined
          ? DEFAULT_ERROR_BUTTONS
          : asList(asMap(file.results).error_buttons).map(asMap).map(toButton),
      success: EMPTY_PAGE,
      failed: EMPTY_PAGE,
      receipt:
        asMap(file.results).receipt === undefined
          ? null
          : {
              file: asText(asMap(asMap(file.results).receipt).file),
              text: asText(asMap(asMap(file.results).receipt).text),
            },
    },
    email:
      file.email === undefined
        ? null
        : {
            subject: asText(asMap(file.email).subject),
            text: asText(asMap(file.email).text),
            ...removeUndefined({
              copyTo: asMap(file.email).copy_to as 'office' | 'support' | undefined,
            }),
          },
    admin: { dashboard: { key: id, label: eventDetails.title, cards: [] }, lists: [] },
    examples: toExamples(asMap(file.examples), { currency, categories, categoryChoice }),
    texts: site,
  }
  // Built last: the labels of rows, filters and columns come from the fields and values above.
  const results = asMap(file.results)
  return resolveAges(
    {
      ...config,
      results: {
        ...config.results,
        success: toPage(config, asMap(results.success), DEFAULT_LOOKUP.success),
        failed: toPage(config, asMap(results.failed), DEFAULT_LOOKUP.failed),
      },
      admin: toAdmin(config, asMap(file.admin), site),
    },
    days.from,
  )
}

/** For each quota that counts a field, sets the maximum number of seats per registration. */
function addCountMax<Context extends Pick<EventConfig, 'quotas'>>(
  context: Context,
  fields: readonly Field[],
): Context {
  return {
    ...context,
    quotas: context.quotas.map((quota) => {
      const max = fields.find(({ id }) => id === quota.count)?.max
      return max === undefined
        ? quota
        : { ...quota, maxCount: max + (quota.withDelegate === true ? 1 : 0) }
    }),
  }
}

/** Returns the front desk's days: by default the first and the last day of the event. */
const readDeskDays = (
  raw: unknown,
  { from, to }: { readonly from: Day; readonly to: Day },
): EventConfig['registration']['desk'] =>
  raw === undefined
    ? undefined
    : {
        opens: asOptionalDay(asMap(raw).opens) ?? from,
        closes: asOptionalDay(asMap(raw).closes) ?? to,
      }

/** Returns the closing day: by default the last day of the event. */
const readClosingDay = (raw: unknown, lastDay: Day): Day | undefined =>
  raw === NEVER ? undefined : (asOptionalDay(raw) ?? lastDay)

function toSiteTexts(shared: PlainMap): SiteTexts {
  const admin = asMap(shared.admin)
  return {
    calls: asTextMap(shared.calls),
    admin: {
      signIn: asText(admin.sign_in),
      dashboard: asText(admin.dashboard),
      retry: asText(admin.retry),
      empty: asText(admin.empty),
      load: asText(admin.load),
      export: asText(admin.export),
    },
    missingValue: asText(asMap(shared.results).missing_value),
    noticeMs: Number(asMap(shared.form).notice_ms),
    values: asTextMap(shared.values),
  }
}
