/**
 * Compiles a file that passed the schema check to an EventConfig.
 *
 * Fills in defaults of `_shared/texts.yaml`, converts amounts to minor units, looks up prices by column
 * name, and resolves names of lists and gateways. It relies only on the schema: unknown names are
 * left empty, and the checks report them.
 */
import type { EventConfig, Field, Section, SiteTexts } from '../../event/config.ts'
import { listDelegateMethods, buildMethodQuestion } from '../../payments/payment-methods.ts'
import { currenciesOf } from '../../rules/category.ts'
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
import { toPricingContext } from './discount-codes-and-members.ts'
import { toCategory, toField } from './form.ts'
import { toPaying } from './payment-methods.ts'
import { toAdmin } from './office-lists.ts'
import { EMPTY_PAGE, resultErrors, toButton, toPage } from './result-pages.ts'
import {
  removeUndefined,
  list,
  map,
  optionalText,
  optionalDay,
  text,
  texts,
  wireNames,
  type PlainMap,
  type PlainShared,
} from './read-checked-values.ts'
import {
  buildDefaultApi,
  ERROR_BUTTONS,
  FREE_BUTTON,
  THEME_COLOUR,
  LOOKUP,
  MESSAGES_AS,
  NEVER,
  ORDER_DIGITS,
  RESULT_AMOUNTS,
} from '../../event/defaults.ts'

export function toConfig(file: PlainMap, shared: PlainShared): EventConfig {
  const event = map(file.event)
  const rawForm = map(file.form)
  const common = map(shared.texts.form)
  const categories = list(file.categories).map(map).map(toCategory)
  const sections = list(rawForm.sections).map(map)
  const days = { from: day(text(event.from)), to: day(text(event.to)) }
  const currency = readCurrency(file.currency) ?? INR
  const fees = toFees(map(file.fees), currency, categories)
  const counted = new Set([
    ...fees.items.flatMap(({ count, times }) => [count?.field, times]),
    ...list(file.quotas).map((quota) => optionalText(map(quota).count)),
  ])
  const amountFields = new Set(fees.items.map(({ amountIn }) => amountIn))
  const compiledFields = sections.flatMap((section, index) =>
    list(section.fields)
      .map(map)
      .map((field) => toField(field, index, { categories, shared, days }))
      .map((field) =>
        field.type !== 'number'
          ? field
          : {
              ...field,
              ...(counted.has(field.id) && { isWhole: true }),
              ...(amountFields.has(field.id) && { isAmount: true }),
            },
      ),
  )
  const alsoStored = list(rawForm.also_stored)
    .map(map)
    .map((value) => ({
      id: text(value.id),
      type: value.type as 'text' | 'number' | 'money' | 'date',
      label: text(value.label),
    }))
  const roles = findRoles([...compiledFields, ...alsoStored])
  const paying = toPaying(file.payment, { categories, shared, days })
  const fields = compiledFields.map((field) =>
    paying.payment !== null && field.type === 'email' && field.id === roles.email
      ? { ...field, toGateway: true }
      : field,
  )
  const way = buildMethodQuestion(
    paying,
    currenciesOf({ currency, categories }),
    sections.length,
    text(common.required),
  )
  const orderId = map(file.order_id)
  const id = text(event.id)
  const site = toSiteTexts(shared.texts)
  const summary = { ...map(common.summary), ...map(rawForm.summary) }
  const freeButton = optionalText(summary.free_button) ?? FREE_BUTTON
  const panel = rawForm.panel === undefined ? null : map(rawForm.panel)
  const stepper = rawForm.stepper === undefined ? null : map(rawForm.stepper)
  const withoutPayment = { ...map(common.without_payment), ...map(rawForm.without_payment) }
  // A transfer is not paid by pressing a button.
  const isOnlyCard = paying.payment !== null && listDelegateMethods(paying).length === 1
  const noneIsNull = (value: unknown): string | null => (value === 'none' ? null : text(value))
  const api = map(file.api)
  const apiHere = buildDefaultApi(id, optionalText(api.register))
  const head = {
    id,
    title: text(event.title),
    ...days,
    venue: text(event.venue),
    status: event.status === 'closed' ? ('closed' as const) : ('open' as const),
    support: text(event.support),
    ...removeUndefined({
      theme: optionalText(event.theme),
      about: optionalText(event.about),
      hours: optionalText(event.hours),
      office: optionalText(event.office),
    }),
  }
  const categoryChoice: EventConfig['categoryChoice'] =
    map(file.category).chosen_in !== undefined
      ? { by: 'field', field: text(map(file.category).chosen_in) }
      : {
          by: 'rules',
          rules: list(map(file.category).rules)
            .map(map)
            .map((rule) =>
              rule.otherwise === undefined
                ? { when: toCondition(rule.when), then: text(rule.then) }
                : { when: null, then: text(rule.otherwise) },
            ),
        }
  const config: EventConfig = {
    ...head,
    demo: texts(file.demo),
    look: {
      colour: optionalText(map(file.look).colour) ?? THEME_COLOUR,
      ...removeUndefined({ logo: optionalText(map(file.look).logo) }),
    },
    ...removeUndefined({ words: file.words === undefined ? undefined : wireNames(file.words) }),
    closed:
      file.closed === undefined
        ? null
        : { heading: text(map(file.closed).heading), text: text(map(file.closed).text) },
    registration: removeUndefined({
      opens: optionalDay(map(file.registration).opens),
      closes: readClosingDay(map(file.registration).closes, days.to),
      desk: readDeskDays(map(file.registration).desk, days),
    }),
    routes: {
      form: text(map(file.routes).form),
      also: texts(map(file.routes).also),
      success: text(map(file.routes).success),
      failed: text(map(file.routes).failed),
    },
    currency,
    categories,
    categoryChoice,
    fees: {
      ...fees,
      ...removeUndefined({ methods: toPricedMethods(fees, paying.methods, fields) }),
    },
    ...withCountMax(toPricingContext(file), fields),
    approvals: toApprovals(file.approval),
    sections: [
      ...sections.map((section): Section => ({
        title: text(section.title),
        fields: list(section.fields).map((field) => text(map(field).id)),
        ...(section.show_when === undefined ? {} : { showWhen: toCondition(section.show_when) }),
      })),
      ...(way === null ? [] : [way.section]),
    ],
    fields: way === null ? fields : [...fields, way.field],
    alsoStored,
    roles,
    form: {
      pages: rawForm.pages === 'sections' ? 'sections' : 'one',
      stepper:
        stepper === null
          ? null
          : {
              steps: texts(stepper.steps),
              ...(typeof stepper.stays_on === 'number' ? { staysOn: stepper.stays_on } : {}),
            },
      panel:
        panel === null
          ? null
          : { lines: texts(panel.lines), ...removeUndefined({ title: optionalText(panel.title) }) },
      summary: {
        title: text(summary.title),
        empty: text(summary.empty),
        lines: texts(summary.lines).filter((line) =>
          isCharged(fees, line),
        ) as EventConfig['form']['summary']['lines'],
        button:
          optionalText(map(rawForm.summary).button) ??
          (isOnlyCard ? text(summary.button) : freeButton),
        freeButton,
        busy: text(summary.busy),
      },
      notices: (rawForm.notices as EventConfig['form']['notices'] | undefined) ?? MESSAGES_AS,
      noticeMs: site.noticeMs,
      withoutPayment: {
        notice: noneIsNull(withoutPayment.notice),
        alert: noneIsNull(withoutPayment.alert),
      },
      failure: text(rawForm.failure ?? common.failure),
    },
    orderId: {
      prefix: text(orderId.prefix),
      followedBy: orderId.followed_by === 'anything' ? 'anything' : 'digits',
      digits: typeof orderId.digits === 'number' ? orderId.digits : ORDER_DIGITS,
    },
    cancellation:
      file.cancellation === undefined ? null : toCancellation(map(file.cancellation), currency),
    edit: file.edit === undefined ? null : toEdit(map(file.edit)),
    retention: toRetention(map(file.retention), days.to),
    invoice: file.invoice === undefined ? null : toInvoice(map(file.invoice)),
    ...paying,
    api: {
      register: apiHere.register,
      registration: optionalText(api.registration) ?? apiHere.registration,
      tariff: optionalText(api.tariff) ?? apiHere.tariff,
      gatewayReturn: optionalText(api.gateway_return) ?? null,
      sends: wireNames(api.sends),
      returns: wireNames(api.returns),
    },
    results: {
      amounts:
        (map(file.results).amounts as EventConfig['results']['amounts'] | undefined) ??
        RESULT_AMOUNTS,
      errors: resultErrors({ ...map(shared.texts.results), ...map(map(file.results).errors) }),
      errorButtons:
        map(file.results).error_buttons === undefined
          ? ERROR_BUTTONS
          : list(map(file.results).error_buttons).map(map).map(toButton),
      success: EMPTY_PAGE,
      failed: EMPTY_PAGE,
      receipt:
        map(file.results).receipt === undefined
          ? null
          : {
              file: text(map(map(file.results).receipt).file),
              text: text(map(map(file.results).receipt).text),
            },
    },
    email:
      file.email === undefined
        ? null
        : {
            subject: text(map(file.email).subject),
            text: text(map(file.email).text),
            ...removeUndefined({
              copyTo: map(file.email).copy_to as 'office' | 'support' | undefined,
            }),
          },
    admin: { dashboard: { key: id, label: head.title, cards: [] }, lists: [] },
    examples: toExamples(map(file.examples), { currency, categories, categoryChoice }),
    texts: site,
  }
  // Labels of rows, filters and columns come from the fields and values compiled above.
  const results = map(file.results)
  return resolveAges(
    {
      ...config,
      results: {
        ...config.results,
        success: toPage(config, map(results.success), LOOKUP.success),
        failed: toPage(config, map(results.failed), LOOKUP.failed),
      },
      admin: toAdmin(config, map(file.admin), site),
    },
    days.from,
  )
}

/** Adds the most seats that one registration can take of each quota that counts a field. */
function withCountMax<Context extends Pick<EventConfig, 'quotas'>>(
  context: Context,
  fields: readonly Field[],
): Context {
  return {
    ...context,
    quotas: context.quotas.map((quota) => {
      const max = fields.find(({ id }) => id === quota.count)?.max
      return max === undefined
        ? quota
        : { ...quota, countMax: max + (quota.withDelegate === true ? 1 : 0) }
    }),
  }
}

/** The front desk opens on the first day of the event and closes on its last, unless the file says otherwise. */
const readDeskDays = (
  raw: unknown,
  { from, to }: { readonly from: Day; readonly to: Day },
): EventConfig['registration']['desk'] =>
  raw === undefined
    ? undefined
    : { opens: optionalDay(map(raw).opens) ?? from, closes: optionalDay(map(raw).closes) ?? to }

/** Registration closes when the event is over, unless the file says otherwise. */
const readClosingDay = (raw: unknown, last: Day): Day | undefined =>
  raw === NEVER ? undefined : (optionalDay(raw) ?? last)

function toSiteTexts(shared: PlainMap): SiteTexts {
  const admin = map(shared.admin)
  return {
    calls: wireNames(shared.calls),
    admin: {
      signIn: text(admin.sign_in),
      dashboard: text(admin.dashboard),
      retry: text(admin.retry),
      empty: text(admin.empty),
      load: text(admin.load),
      export: text(admin.export),
    },
    missingValue: text(map(shared.results).missing_value),
    noticeMs: Number(map(shared.form).notice_ms),
    values: wireNames(shared.values),
  }
}
