/**
 * Writes an event in full, with every default and every shared list filled in.
 *
 * Reading the result gives the same event, as a test verifies. Only the gateway is written as a name, because an
 * event file cannot contain the gateway's settings. The settings follow as a comment.
 */
import { listGatewayAccounts } from '../../payments/card-accounts.ts'
import { SALES_FILTER } from '../../reports/sales-columns.ts'
import { canBeMalformed } from '../../answers/field-types.ts'
import type {
  Button,
  Detail,
  EventConfig,
  ExampleCase,
  Field,
  ResultPage,
} from '../../event/config.ts'
import { FORMATS } from '../../event/identifier-patterns.ts'
import {
  INR,
  formatPlainAmount,
  toMajorUnits,
  type Currency,
  type Amount,
} from '../../lib/money.ts'
import { fromPairs } from '../../lib/result.ts'
import { countDaysBetween, formatIsoIndia, type Day } from '../../lib/time.ts'
import { NEVER } from '../../event/default-settings-and-limits.ts'
import { writeYaml } from '../syntax/write-yaml.ts'
import {
  removeUndefined,
  showCondition,
  type Block,
  type DisplayedValue,
} from './show-conditions.ts'
import { showCancellation } from './explain-refund.ts'
import { showContext, showFees } from './show-items-and-quotas.ts'

/** Returns YAML text with the keys in the usual order of an event file. */
export function showEvent(event: EventConfig): string {
  const text = writeYaml(toPlainEvent(event))
  const gateways = new Map(listGatewayAccounts(event).map(({ gateway }) => [gateway.name, gateway]))
  const settings = [...gateways].map(
    ([name, gateway]) =>
      `\n# Settings of the gateway ${name}:\n${writeYaml(gateway).trimEnd().replace(/^/gm, '#   ')}\n`,
  )
  return text + settings.join('')
}

const showCardMethods = (
  methods: EventConfig['methods'],
  accounts: NonNullable<EventConfig['cardAccounts']>,
) =>
  methods.flatMap(({ id, label, until, currencies }) => {
    const card = accounts[id]
    return card === undefined
      ? []
      : [
          removeUndefined({
            id,
            label,
            gateway: card.gateway.name,
            account: card.account,
            until,
            currencies,
          }),
        ]
  })

/** Returns the event as the plain values of a file. */
function toPlainEvent(event: EventConfig): Block {
  const { form, results, email, orderId, payment } = event
  return removeUndefined({
    format: 1,
    demo: event.demo.length === 0 ? undefined : event.demo,
    event: removeUndefined({
      id: event.id,
      title: event.title,
      theme: event.theme,
      about: event.about,
      from: event.from,
      to: event.to,
      hours: event.hours,
      venue: event.venue,
      status: event.status,
      support: event.support,
      office: event.office,
    }),
    look: event.look,
    words: event.words,
    closed: event.closed ?? undefined,
    registration: { ...event.registration, closes: event.registration.closes ?? NEVER },
    routes: removeUndefined({
      form: event.routes.form,
      also: event.routes.also.length === 0 ? undefined : event.routes.also,
      success: event.routes.success,
      failed: event.routes.failed,
    }),
    currency: event.currency === INR ? undefined : event.currency,
    categories: event.categories.map(({ listedOnly, expects, ...category }) => ({
      ...category,
      ...(expects === undefined ? {} : { expects: showCondition(expects) }),
      ...(listedOnly ? { listed_only: true } : {}),
    })),
    category:
      event.categoryChoice.by === 'field'
        ? { chosen_in: event.categoryChoice.field }
        : {
            rules: event.categoryChoice.rules.map(({ when, then }) =>
              when === null ? { otherwise: then } : { when: showCondition(when), then },
            ),
          },
    fees: showFees(event.fees, event.categories, event.currency),
    ...showContext(event),
    form: removeUndefined({
      pages: form.pages === 'one' ? undefined : form.pages,
      stepper:
        form.stepper === null
          ? undefined
          : removeUndefined({ steps: form.stepper.steps, stays_on: form.stepper.staysOn }),
      sections: event.sections.map((section, index) =>
        removeUndefined({
          title: section.title,
          show_when: section.showWhen && showCondition(section.showWhen),
          fields: event.fields.filter((field) => field.section === index).map(showField),
        }),
      ),
      also_stored: event.alsoStored.length === 0 ? undefined : event.alsoStored,
      panel:
        form.panel === null
          ? undefined
          : removeUndefined({ title: form.panel.title, lines: form.panel.lines }),
      // The summary of a closed event may be empty.
      summary: form.summary.lines.length === 0 ? undefined : showSummary(form.summary),
      notices: form.notices,
      without_payment: {
        notice: form.withoutPayment.notice ?? 'none',
        alert: form.withoutPayment.alert ?? 'none',
      },
      failure: form.failure,
    }),
    cancellation: showCancellation(event.cancellation, event.currency),
    edit: event.edit ?? undefined,
    retention: showRetention(event),
    order_id: { prefix: orderId.prefix, followed_by: orderId.followedBy, digits: orderId.digits },
    payment:
      event.cardAccounts !== undefined
        ? { methods: showCardMethods(event.methods, event.cardAccounts) }
        : payment === null
          ? 'none'
          : { gateway: payment.gateway.name, account: payment.account },
    api: removeUndefined({
      register: event.api.register,
      registration: event.api.registration,
      tariff: event.api.tariff,
      gateway_return: event.api.gatewayReturn ?? undefined,
      sends: toBlock(event.api.sends),
      returns: toBlock(event.api.returns),
    }),
    results: removeUndefined({
      amounts: results.amounts,
      errors: {
        no_order: results.errors.noOrder,
        bad_order: results.errors.badOrder,
        not_found: results.errors.notFound,
        fetch_failed: results.errors.fetchFailed,
      },
      error_buttons: results.errorButtons.map(showButton),
      success: showPage(results.success),
      failed: showPage(results.failed),
      receipt: results.receipt ?? undefined,
    }),
    email:
      email === null
        ? undefined
        : removeUndefined({ subject: email.subject, copy_to: email.copyTo, text: email.text }),
    admin: {
      dashboard: event.admin.dashboard,
      lists: event.admin.lists.map((list) => {
        // The filter for items sold is added automatically, so it is omitted here.
        const statedFilters = list.filters.filter(({ show }) => show !== SALES_FILTER)
        return removeUndefined({
          id: list.id,
          title: list.title,
          route: list.route,
          api: list.api,
          filters:
            statedFilters.length === 0
              ? undefined
              : statedFilters.map(({ show, sentAs }) =>
                  show === sentAs ? show : { show, sent_as: sentAs },
                ),
          columns: list.columns.map(({ id }) => id),
          page_size: list.pageSize,
          page_sizes: list.pageSizes.length === 0 ? undefined : list.pageSizes,
          empty: list.empty,
          errors: list.errors,
          export: list.export,
        })
      }),
    },
    examples:
      event.examples.length === 0
        ? undefined
        : { cases: event.examples.map((example) => showExample(example, event.currency)) },
  })
}

/** Writes retention periods in days, because the compiled event contains only the days on which they end. */
function showRetention({ retention, to }: EventConfig): Block | undefined {
  const { answers, files } = retention
  if (answers === null && files === null) return undefined
  const showUntil = (until: Day | null) =>
    until === null ? undefined : `${countDaysBetween(to, until)} days`
  return removeUndefined({ answers: showUntil(answers), files: showUntil(files) })
}

function showSummary({ freeButton, ...summary }: EventConfig['form']['summary']): Block {
  return { ...summary, free_button: freeButton }
}

function showField(field: Field): Block {
  const isConstant = field.required === undefined || field.required.when === undefined
  return removeUndefined({
    id: field.id,
    type: field.type,
    as: field.as,
    label: field.label,
    hint: field.hint,
    ...showPattern(field),
    options:
      field.offersCategories === true
        ? 'categories'
        : field.options?.map(({ id, label }) => ({ id, label })),
    default: field.default,
    accept: field.accept,
    max_mb: field.maxBytes === undefined ? undefined : field.maxBytes / 1024 / 1024,
    ignore_case: field.ignoreCase ? true : undefined,
    show_when: field.showWhen && showCondition(field.showWhen),
    required:
      field.required === undefined
        ? undefined
        : isConstant
          ? field.required.message
          : { when: showCondition(field.required.when ?? []), message: field.required.message },
    invalid: canShowInvalidMessage(field) ? field.invalid : undefined,
    check: field.check ? undefined : false,
    min: field.min,
    max: field.max,
    max_length: field.maxLength,
    from: field.from,
    to: field.to,
    unit: field.unitOne === undefined ? field.unit : { one: field.unitOne, other: field.unit },
    choose: showChoose(field),
    fields: field.fields?.map(showField),
    link: field.link,
    version: field.version,
    in: field.roll,
  })
}

/** Writes a pattern by its name if it has one, otherwise as in the file, without anchors. */
function showPattern({ pattern }: Field): Block {
  if (pattern === undefined) return {}
  const format = Object.entries(FORMATS).find(([, form]) => form === pattern)?.[0]
  return format === undefined ? { pattern: pattern.slice('^(?:'.length, -')$'.length) } : { format }
}

function showChoose({ choose }: Field): DisplayedValue {
  return choose === undefined
    ? undefined
    : removeUndefined({
        at_least: choose.atLeast,
        at_most: choose.atMost,
        mutually_exclusive: omitEmpty(choose.mutuallyExclusive),
        message: choose.message === '' ? undefined : choose.message,
      })
}

function showPage(page: ResultPage): Block {
  return removeUndefined({
    title: page.title,
    intro: page.intro,
    lookup: page.lookup,
    details: page.details.map(showDetail),
    reasons: omitEmpty(page.reasons),
    notes_title: page.notesTitle,
    notes: omitEmpty(page.notes),
    buttons: page.buttons.length === 0 ? undefined : page.buttons.map(showButton),
  })
}

function showDetail({ when, ...detail }: Detail): Block {
  return { ...detail, ...(when === undefined ? {} : { when: showCondition(when) }) }
}

function showButton(button: Button): Block {
  return { ...button }
}

function showExample(example: ExampleCase, currency: Currency): Block {
  const { name } = example
  if ('orderId' in example)
    return { name, order_id: example.orderId, expect: { order: example.order } }
  const { base, gst, total, ...others } = example.expect
  const { lines, ...rest } = { lines: undefined, ...others }
  const formatAmount = (value: Amount | undefined): DisplayedValue =>
    value === undefined ? undefined : Number(formatPlainAmount(value, currency))
  const answers = 'answers' in example ? { given: example.answers } : { category: example.category }
  return removeUndefined({
    name,
    on: formatIsoIndia(example.on),
    ...answers,
    expect: removeUndefined({
      ...rest,
      base: formatAmount(base),
      gst: formatAmount(gst),
      total: formatAmount(total),
      lines:
        lines === undefined
          ? undefined
          : fromPairs(
              Object.entries(lines).map(
                ([id, line]) => [id, toMajorUnits(line, currency)] as const,
              ),
            ),
    }),
  })
}

const omitEmpty = <T>(list: readonly T[]): readonly T[] | undefined =>
  list.length === 0 ? undefined : list
const toBlock = (names: Readonly<Record<string, string>>): Block | undefined =>
  Object.keys(names).length === 0 ? undefined : names

/** Returns true if an answer can be invalid. An unchecked phone number can only be too long. */
function canShowInvalidMessage(field: Field): boolean {
  if (field.type === 'phone' && !field.check) return false
  return field.invalid !== '' && canBeMalformed(field)
}
