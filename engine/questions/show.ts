/**
 * An event written out whole: every default filled in, every shared list in its place. Reading it
 * back gives the same event, which a test holds to; only the gateway stays a name, for it has no
 * other form in an event file, and its constants follow as a remark.
 */
import { CAN_BE_MALFORMED } from '../fields.ts'
import type {
  Button,
  Category,
  Detail,
  EventConfig,
  ExampleCase,
  Field,
  ResultPage,
} from '../config.ts'
import type { Answer, Condition, ConditionMap, Test } from '../answer.ts'
import type { Fees } from '../sale.ts'
import { amountText, rupees, type Paise } from '../money.ts'
import { fromPairs, own } from '../outcome.ts'
import { isoIndia } from '../time.ts'
import { writeYaml } from '../check/write.ts'

type Shown = unknown
type Block = Readonly<Record<string, Shown>>

/** YAML text; keys in the order in which an event file is read. */
export function showEvent(event: EventConfig): string {
  const text = writeYaml(whole(event))
  const gateway =
    event.payment === null
      ? ''
      : `\n# What the gateway ${event.payment.gateway.name} is told besides:\n${writeYaml(event.payment.gateway).trimEnd().replace(/^/gm, '#   ')}\n`
  return text + gateway
}

/** The event as the plain values of a file. */
function whole(event: EventConfig): Block {
  const { form, results, email, orderId, payment } = event
  return given({
    format: 1,
    demo: event.demo.length === 0 ? undefined : event.demo,
    event: given({
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
    closed: event.closed ?? undefined,
    registration: Object.keys(event.registration).length === 0 ? undefined : event.registration,
    routes: given({
      form: event.routes.form,
      also: event.routes.also.length === 0 ? undefined : event.routes.also,
      success: event.routes.success,
      failed: event.routes.failed,
    }),
    categories: event.categories.map(({ listedOnly, ...category }) => ({
      ...category,
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
    fees: showFees(event.fees, event.categories),
    form: given({
      stepper:
        form.stepper === null
          ? undefined
          : given({ steps: form.stepper.steps, stays_on: form.stepper.staysOn }),
      sections: event.sections.map((section, at) =>
        given({
          title: section.title,
          show_when: section.showWhen && showCondition(section.showWhen),
          fields: event.fields.filter((field) => field.section === at).map(showField),
        }),
      ),
      also_stored: event.alsoStored.length === 0 ? undefined : event.alsoStored,
      panel:
        form.panel === null
          ? undefined
          : given({ title: form.panel.title, lines: form.panel.lines }),
      // A closed event may have none.
      summary: form.summary.lines.length === 0 ? undefined : showSummary(form.summary),
      notices: form.notices,
      without_payment: {
        notice: form.withoutPayment.notice ?? 'none',
        alert: form.withoutPayment.alert ?? 'none',
      },
      failure: form.failure,
    }),
    order_id: { prefix: orderId.prefix, followed_by: orderId.followedBy, digits: orderId.digits },
    payment:
      payment === null ? 'none' : { gateway: payment.gateway.name, account: payment.account },
    api: given({
      register: event.api.register,
      registration: event.api.registration,
      tariff: event.api.tariff,
      gateway_return: event.api.gatewayReturn ?? undefined,
      sends: named(event.api.sends),
      returns: named(event.api.returns),
    }),
    results: given({
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
        : given({ subject: email.subject, copy_to: email.copyTo, text: email.text }),
    admin: {
      dashboard: event.admin.dashboard,
      lists: event.admin.lists.map((list) =>
        given({
          id: list.id,
          title: list.title,
          route: list.route,
          api: list.api,
          filters:
            list.filters.length === 0
              ? undefined
              : list.filters.map(({ show, sentAs }) =>
                  show === sentAs ? show : { show, sent_as: sentAs },
                ),
          columns: list.columns.map(({ id }) => id),
          page_size: list.pageSize,
          page_sizes: list.pageSizes.length === 0 ? undefined : list.pageSizes,
          empty: list.empty,
          errors: list.errors,
          export: list.export,
        }),
      ),
    },
    examples: event.examples.length === 0 ? undefined : { cases: event.examples.map(showExample) },
  })
}

function showSummary({ freeButton, ...summary }: EventConfig['form']['summary']): Block {
  return { ...summary, free_button: freeButton }
}

function showFees(
  { tax, periods, otherDates, prices }: Fees,
  categories: readonly Category[],
): Block {
  const columns = periods.map(({ id }) => id)
  const cell = (price: Paise | null | undefined): Shown =>
    price === null || price === undefined ? 'none' : price === 0 ? 'free' : rupees(price)
  const overlaps = periods.some((period, at) =>
    periods
      .slice(0, at)
      .some(
        (earlier) =>
          (earlier.to === undefined || period.from === undefined || period.from <= earlier.to) &&
          (period.to === undefined || earlier.from === undefined || earlier.from <= period.to),
      ),
  )
  return given({
    tax: tax ?? undefined,
    periods,
    overlap: overlaps ? 'first' : undefined,
    other_dates: otherDates ?? 'closed',
    prices:
      prices === null
        ? undefined
        : fromPairs<Shown>([
            ['period', columns],
            ...Object.keys(prices)
              .filter((id) => categories.length > 0 && id !== 'period')
              .map(
                (id) =>
                  [id, columns.map((period) => cell(own(own(prices, id) ?? {}, period)))] as const,
              ),
          ]),
  })
}

function showField(field: Field): Block {
  const isConstant = field.required === undefined || field.required.when === undefined
  return given({
    id: field.id,
    type: field.type,
    as: field.as,
    label: field.label,
    hint: field.hint,
    options:
      field.offersCategories === true
        ? 'categories'
        : field.options?.map(({ id, label }) => ({ id, label })),
    default: field.default,
    accept: field.accept,
    max_mb: field.bytesMax === undefined ? undefined : field.bytesMax / 1024 / 1024,
    ignore_case: field.ignoreCase ? true : undefined,
    show_when: field.showWhen && showCondition(field.showWhen),
    required:
      field.required === undefined
        ? undefined
        : isConstant
          ? field.required.message
          : { when: showCondition(field.required.when ?? []), message: field.required.message },
    invalid:
      field.invalid === '' || !field.check || !CAN_BE_MALFORMED[field.type]
        ? undefined
        : field.invalid,
    check: field.check ? undefined : false,
    min: field.min,
    max: field.max,
    max_length: field.lengthMax,
  })
}

/** A condition as it is written: one map, or a list of maps. */
function showCondition(condition: Condition): Shown {
  const maps = condition.map((map: ConditionMap) =>
    fromPairs(map.map(({ field, test }) => [field, showTest(test)] as const)),
  )
  return maps.length === 1 ? maps[0] : maps
}

function showTest(test: Test): Shown {
  const oneOrAll = (values: readonly Answer[]): Shown => (values.length === 1 ? values[0] : values)
  switch (test.is) {
    case 'in':
      return oneOrAll(test.values)
    case 'not-in':
      return { not: oneOrAll(test.values) }
    case 'answered':
      return { answered: test.answered }
    case 'number':
      return given({
        at_least: test.atLeast,
        at_most: test.atMost,
        above: test.above,
        below: test.below,
      })
    case 'date':
      return given({ from: test.from, to: test.to })
  }
}

function showPage(page: ResultPage): Block {
  return given({
    title: page.title,
    intro: page.intro,
    lookup: page.lookup,
    details: page.details.map(showDetail),
    reasons: some(page.reasons),
    notes_title: page.notesTitle,
    notes: some(page.notes),
    buttons: page.buttons.length === 0 ? undefined : page.buttons.map(showButton),
  })
}

function showDetail({ when, ...detail }: Detail): Block {
  return { ...detail, ...(when === undefined ? {} : { when: showCondition(when) }) }
}

function showButton(button: Button): Block {
  return { ...button }
}

function showExample(example: ExampleCase): Block {
  const { name } = example
  if ('orderId' in example)
    return { name, order_id: example.orderId, expect: { order: example.order } }
  const { base, gst, total, ...rest } = example.expect
  const amount = (value: Paise | undefined): Shown =>
    value === undefined ? undefined : Number(amountText(value))
  const answers = 'answers' in example ? { given: example.answers } : { category: example.category }
  return given({
    name,
    on: isoIndia(example.on),
    ...answers,
    expect: given({ ...rest, base: amount(base), gst: amount(gst), total: amount(total) }),
  })
}

const some = <T>(list: readonly T[]): readonly T[] | undefined =>
  list.length === 0 ? undefined : list
const named = (names: Readonly<Record<string, string>>): Block | undefined =>
  Object.keys(names).length === 0 ? undefined : names
function given(block: Block): Block {
  return fromPairs(Object.entries(block).filter(([, value]) => value !== undefined))
}
