/**
 * From the plain values of a file that has passed the shape check to an EventConfig: defaults of
 * `_shared/texts.yaml` filled in, rupees to paise, prices looked up by the name of their column,
 * names of lists and gateways replaced by what they name. It trusts the shape and nothing
 * else: names that mean nothing are left empty, and the checks say so.
 */
import { labelOf, statusText, words } from '../texts.ts'
import { day, instant, readInstant, type Day, type Instant } from '../time.ts'
import { paise, readAmount, type Paise } from '../money.ts'
import type {
  AdminList,
  Answer,
  Button,
  Category,
  Column,
  Condition,
  Detail,
  EventConfig,
  ExampleCase,
  Fees,
  Field,
  FieldType,
  Filter,
  Gateway,
  Option,
  RawAnswers,
  ResultPage,
  Section,
  SiteTexts,
  Test,
} from '../config.ts'

/** A plain value of the file; maps have no prototype to trip over. */
export type Plain = { readonly [key: string]: unknown }
/** The three shared files as plain values. */
type PlainShared = { readonly lists: Plain; readonly gateways: Plain; readonly texts: Plain }

/** Files are limited to 5 MB where the event says nothing: a photographed certificate fits, a film does not. */
const PROOF_MB = 5
/** The blue of the look, for an event without a colour of its own. */
const COLOUR = '#1050AC'

const map = (value: unknown): Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Plain) : {}
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => String(value)
const maybe = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value)
const texts = (value: unknown): readonly string[] => list(value).map(text)
/** Leaves out what is undefined, as exact optional properties want it. */
function given<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
const maybeDay = (value: unknown): Day | undefined =>
  value === undefined ? undefined : day(text(value))

/** Rupees as the file writes them. What is no amount is found by EV411, and such a file is never served. */
function paiseOf(value: unknown): Paise {
  return readAmount(text(value)) ?? paise(0)
}

export function toConfig(file: Plain, shared: PlainShared): EventConfig {
  const event = map(file.event)
  const own = map(file.form)
  const common = map(shared.texts.form)
  const categories = list(file.categories).map(map).map(toCategory)
  const sections = list(own.sections).map(map)
  const fields = sections.flatMap((section, index) =>
    list(section.fields)
      .map(map)
      .map((field) => toField(field, index, categories, shared)),
  )
  const orderId = map(file.order_id)
  const id = text(event.id)
  const site = toSiteTexts(shared.texts)
  const summary = { ...map(common.summary), ...map(own.summary) }
  const panel = own.panel === undefined ? null : map(own.panel)
  const stepper = own.stepper === undefined ? null : map(own.stepper)
  const withoutPayment = { ...map(common.without_payment), ...map(own.without_payment) }
  const noneIsNull = (value: unknown): string | null => (value === 'none' ? null : text(value))
  const api = map(file.api)
  const head = {
    id,
    title: text(event.title),
    from: day(text(event.from)),
    to: day(text(event.to)),
    venue: text(event.venue),
    status: event.status === 'closed' ? ('closed' as const) : ('open' as const),
    support: text(event.support),
    ...given({
      theme: maybe(event.theme),
      about: maybe(event.about),
      hours: maybe(event.hours),
      office: maybe(event.office),
    }),
  }
  const alsoStored = list(own.also_stored)
    .map(map)
    .map((value) => ({
      id: text(value.id),
      type: value.type as 'text' | 'number' | 'money' | 'date',
      label: text(value.label),
    }))
  const config: EventConfig = {
    ...head,
    demo: texts(file.demo),
    look: {
      colour: maybe(map(file.look).colour) ?? COLOUR,
      ...given({ logo: maybe(map(file.look).logo) }),
    },
    closed:
      file.closed === undefined
        ? null
        : { heading: text(map(file.closed).heading), text: text(map(file.closed).text) },
    registration: given({
      opens: maybeDay(map(file.registration).opens),
      closes: maybeDay(map(file.registration).closes),
    }),
    routes: {
      form: text(map(file.routes).form),
      also: texts(map(file.routes).also),
      success: text(map(file.routes).success),
      failed: text(map(file.routes).failed),
    },
    categories,
    categoryChoice:
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
          },
    fees: toFees(map(file.fees)),
    sections: sections.map((section): Section => ({
      title: text(section.title),
      fields: list(section.fields).map((field) => text(map(field).id)),
      ...(section.show_when === undefined ? {} : { showWhen: toCondition(section.show_when) }),
    })),
    fields,
    alsoStored,
    form: {
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
          : { lines: texts(panel.lines), ...given({ title: maybe(panel.title) }) },
      summary: {
        title: text(summary.title),
        empty: text(summary.empty),
        lines: texts(summary.lines) as EventConfig['form']['summary']['lines'],
        button: text(summary.button),
        busy: text(summary.busy),
      },
      notices: own.notices === 'toast' ? 'toast' : 'snackbar',
      noticeMs: site.noticeMs,
      withoutPayment: {
        notice: noneIsNull(withoutPayment.notice),
        alert: noneIsNull(withoutPayment.alert),
      },
      failure: text(own.failure ?? common.failure),
    },
    orderId: {
      prefix: text(orderId.prefix),
      followedBy: orderId.followed_by === 'anything' ? 'anything' : 'digits',
      digits: typeof orderId.digits === 'number' ? orderId.digits : 13,
    },
    payment:
      file.payment === undefined || file.payment === 'none'
        ? null
        : {
            gateway: toGateway(text(map(file.payment).gateway), shared.gateways),
            account: text(map(file.payment).account),
          },
    api: {
      register: maybe(api.register) ?? `/api/${id}/register/`,
      registration: maybe(api.registration) ?? `/api/${id}/registrations/{reg_no}/`,
      tariff:
        maybe(api.tariff) ??
        (api.register === undefined
          ? `/api/${id}/tariff-info/`
          : text(api.register).replace(/[^/]+\/?$/, 'tariff-info/')),
      gatewayReturn: maybe(api.gateway_return) ?? null,
      sends: wireNames(api.sends),
      returns: wireNames(api.returns),
    },
    results: {
      amounts: map(file.results).amounts === 'split-total' ? 'split-total' : 'stored',
      errors: resultErrors({ ...map(shared.texts.results), ...map(map(file.results).errors) }),
      errorButtons:
        map(file.results).error_buttons === undefined
          ? [{ label: 'Go Home', go: '/' }]
          : list(map(file.results).error_buttons).map(map).map(toButton),
      success: emptyPage,
      failed: emptyPage,
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
            ...given({ copyTo: map(file.email).copy_to as 'office' | 'support' | undefined }),
          },
    admin: { dashboard: { key: id, label: head.title, cards: [] }, lists: [] },
    examples: toExamples(map(file.examples)),
    texts: site,
  }
  // Labels of rows, filters and columns come from the fields and values that are known by now.
  const results = map(file.results)
  return {
    ...config,
    results: {
      ...config.results,
      success: toPage(config, map(results.success), 'always'),
      failed: toPage(config, map(results.failed), 'never'),
    },
    admin: toAdmin(config, map(file.admin), site),
  }
}

function toCategory(value: Plain): Category {
  return {
    id: text(value.id),
    label: maybe(value.label) ?? words(text(value.id)),
    listedOnly: value.listed_only === true,
    ...given({ about: maybe(value.about), colour: value.colour as Category['colour'] }),
  }
}

/** A condition of the file: one map, or a list of maps that means any of them. */
export function toCondition(value: unknown): Condition {
  return (Array.isArray(value) ? value : [value]).map((one) =>
    Object.entries(map(one)).map(([field, test]) => ({ field, test: toTest(test) })),
  )
}

function toTest(value: unknown): Test {
  if (Array.isArray(value)) return { is: 'in', values: value as Answer[] }
  if (typeof value !== 'object' || value === null) return { is: 'in', values: [value as Answer] }
  const test = map(value)
  if (test.not !== undefined)
    return { is: 'not-in', values: (Array.isArray(test.not) ? test.not : [test.not]) as Answer[] }
  if (test.answered !== undefined) return { is: 'answered', answered: test.answered === true }
  if (test.from !== undefined || test.to !== undefined)
    return { is: 'date', ...given({ from: maybeDay(test.from), to: maybeDay(test.to) }) }
  return {
    is: 'number',
    ...given({
      atLeast: test.at_least as number | undefined,
      atMost: test.at_most as number | undefined,
      above: test.above as number | undefined,
      below: test.below as number | undefined,
    }),
  }
}

function toOptions(
  value: unknown,
  categories: readonly Category[],
  lists: Plain,
): readonly Option[] {
  if (value === 'categories')
    return categories
      .filter((category) => !category.listedOnly)
      .map(({ listedOnly: _, ...option }) => option)
  return list(typeof value === 'string' ? map(lists.lists)[value] : value).map((option) =>
    typeof option === 'object' && option !== null
      ? {
          id: text(map(option).id),
          label: maybe(map(option).label) ?? inWords(text(map(option).id)),
        }
      : { id: text(option), label: inWords(text(option)) },
  )
}

function toField(
  value: Plain,
  section: number,
  categories: readonly Category[],
  shared: PlainShared,
): Field {
  const type = (value.type ?? 'text') as FieldType
  const invalid = map(map(shared.texts.form).invalid)
  const invalidKey =
    { email: 'email', phone: 'phone', select: 'option', file: 'file' }[type as string] ?? type
  const required =
    typeof value.required === 'object' && value.required !== null ? map(value.required) : null
  const message = (own: unknown): string =>
    typeof own === 'string' ? own : text(map(shared.texts.form).required)
  return {
    id: text(value.id),
    type,
    label: text(value.label),
    section,
    ignoreCase: value.ignore_case === true,
    invalid: maybe(value.invalid) ?? maybe(invalid[invalidKey]) ?? '',
    check: value.check !== false,
    ...given({
      as: (value.as as Field['as']) ?? (type === 'yes-no' ? 'radio' : undefined),
      hint: maybe(value.hint),
      options: type === 'select' ? toOptions(value.options, categories, shared.lists) : undefined,
      offersCategories: value.options === 'categories' ? true : undefined,
      default: value.default as Answer | undefined,
      accept: value.accept === undefined ? undefined : texts(value.accept),
      bytesMax:
        type === 'file' ? Math.round(Number(value.max_mb ?? PROOF_MB) * 1024 * 1024) : undefined,
      showWhen: value.show_when === undefined ? undefined : toCondition(value.show_when),
      required:
        value.required === undefined
          ? undefined
          : required === null
            ? { message: message(value.required) }
            : { when: toCondition(required.when), message: message(required.message) },
      min: value.min as number | undefined,
      max: value.max as number | undefined,
      lengthMax: value.max_length as number | undefined,
    }),
  }
}

function toFees(fees: Plain): Fees {
  const tax = fees.tax === undefined ? null : map(fees.tax)
  const prices = fees.prices === undefined ? null : map(fees.prices)
  const columns = texts(prices?.period)
  return {
    tax:
      tax === null
        ? null
        : {
            name: text(tax.name),
            percent: Number(tax.percent),
            prices: tax.prices === 'inclusive' ? 'inclusive' : 'exclusive',
            round: tax.round === 'rupee' ? 'rupee' : 'paise',
          },
    periods: list(fees.periods)
      .map(map)
      .map((period) => ({
        id: text(period.id),
        label: maybe(period.label) ?? words(text(period.id)),
        ...given({ from: maybeDay(period.from), to: maybeDay(period.to) }),
      })),
    otherDates:
      fees.other_dates === undefined || fees.other_dates === 'closed'
        ? null
        : text(fees.other_dates),
    prices:
      prices === null
        ? null
        : Object.fromEntries(
            Object.entries(prices)
              .filter(([category]) => category !== 'period')
              .map(([category, row]) => [
                category,
                Object.fromEntries(
                  columns.map((period, i) => [
                    period,
                    list(row)[i] === 'none' || list(row)[i] === undefined
                      ? null
                      : paiseOf(list(row)[i]),
                  ]),
                ),
              ]),
          ),
  }
}

function toGateway(name: string, gateways: Plain): Gateway {
  const gateway = map(map(gateways.gateways)[name])
  const live = map(gateway.live)
  return {
    name,
    live: {
      pay: text(live.pay),
      status: text(live.status),
      refund: text(live.refund),
      hops: texts(live.hops),
    },
    constants: wireNames(gateway.constants),
    postsTo: text(gateway.posts_to),
    posts: wireNames(gateway.posts),
  }
}

function wireNames(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map(value)).map(([key, inner]) => [key, text(inner)]))
}

function resultErrors(errors: Plain): EventConfig['results']['errors'] {
  return {
    noOrder: text(errors.no_order),
    badOrder: text(errors.bad_order),
    notFound: text(errors.not_found),
    fetchFailed: text(errors.fetch_failed),
  }
}

const emptyPage: ResultPage = {
  title: '',
  lookup: 'always',
  details: [],
  reasons: [],
  notes: [],
  buttons: [],
}

function toPage(config: EventConfig, page: Plain, lookup: ResultPage['lookup']): ResultPage {
  return {
    title: text(page.title),
    lookup: (page.lookup as ResultPage['lookup'] | undefined) ?? lookup,
    details: list(page.details).map((detail) => toDetail(config, detail)),
    reasons: texts(page.reasons),
    notes: texts(page.notes),
    buttons: list(page.buttons).map(map).map(toButton),
    ...given({ intro: maybe(page.intro), notesTitle: maybe(page.notes_title) }),
  }
}

function toDetail(config: EventConfig, detail: unknown): Detail {
  if (typeof detail === 'string') return { show: detail, label: labelOf(config, detail) }
  const value = map(detail)
  const when = value.when === undefined ? {} : { when: toCondition(value.when) }
  if (value.show === undefined) return { text: text(value.text), label: text(value.label), ...when }
  return {
    show: text(value.show),
    label: maybe(value.label) ?? labelOf(config, text(value.show)),
    ...when,
    ...(value.as === 'words' ? { as: 'words' as const } : {}),
  }
}

function toButton(button: Plain): Button {
  if (button.go !== undefined) return { label: text(button.label), go: text(button.go) }
  return button.mail !== undefined
    ? { label: text(button.label), mail: text(button.mail) }
    : { label: text(button.label), do: button.do === 'print' ? 'print' : 'receipt' }
}

function toAdmin(config: EventConfig, admin: Plain, site: SiteTexts): EventConfig['admin'] {
  const dashboard = map(admin.dashboard)
  const lists = list(admin.lists).map(map)
  return {
    dashboard: {
      key: maybe(dashboard.key) ?? config.id,
      label: maybe(dashboard.label) ?? config.title,
      cards: texts(dashboard.cards) as EventConfig['admin']['dashboard']['cards'],
    },
    lists:
      lists.length > 0
        ? lists.map((one) => toList(config, one, site))
        : [toList(config, everyField(config), site)],
  }
}

/** The list of an event that states none: every field a column, every select and yes-no field a filter. */
function everyField(config: EventConfig): Plain {
  return {
    id: config.id,
    title: `${config.title} Registrations`,
    route: `/admin/${config.id}`,
    filters: [
      'search',
      'payment_status',
      ...config.fields
        .filter((field) => field.type === 'select' || field.type === 'yes-no')
        .map((field) => field.id),
      'date_from',
      'date_to',
    ],
    columns: [
      'reg_no',
      ...config.fields.map((field) => field.id),
      ...(config.categoryChoice.by === 'rules' ? ['category'] : []),
      ...(config.fees.prices === null ? [] : ['base', 'gst', 'total']),
      'payment_status',
      'created_at',
    ],
    page_sizes: [10, 20, 50, 100],
  }
}

function toList(config: EventConfig, value: Plain, site: SiteTexts): AdminList {
  const id = text(value.id)
  const errors = map(value.errors)
  const exported = map(value.export)
  const load = maybe(errors.load) ?? site.admin.load
  return {
    id,
    title: text(value.title),
    route: text(value.route),
    api: maybe(value.api) ?? `/admin/${id}/registrations/`,
    filters: list(value.filters).map((filter) => toFilter(config, filter)),
    columns: texts(value.columns).map((column) => toColumn(config, column)),
    pageSize: typeof value.page_size === 'number' ? value.page_size : 20,
    pageSizes: list(value.page_sizes).map(Number),
    empty: maybe(value.empty) ?? site.admin.empty,
    errors: {
      load,
      shape: maybe(errors.shape) ?? load,
      export: maybe(errors.export) ?? site.admin.export,
    },
    export: {
      api: maybe(exported.api) ?? `/admin/export/?event_type=${id}`,
      file: maybe(exported.file) ?? `${id}_registrations.csv`,
    },
  }
}

const STATUS_OPTIONS: readonly Option[] = (
  ['success', 'pending', 'failed', 'refunded'] as const
).map((status) => ({ id: status, label: statusText(status) }))

function toFilter(config: EventConfig, value: unknown): Filter {
  const show = typeof value === 'string' ? value : text(map(value).show)
  const sentAs = typeof value === 'string' ? value : (maybe(map(value).sent_as) ?? show)
  const of = (kind: Filter['kind'], label: string, options?: readonly Option[]): Filter => ({
    show,
    sentAs,
    label,
    kind,
    ...(options === undefined ? {} : { options }),
  })
  if (show === 'search') return of('search', 'Search')
  if (show === 'date_from') return of('day', 'From')
  if (show === 'date_to') return of('day', 'To')
  if (show === 'payment_status') return of('options', labelOf(config, show), STATUS_OPTIONS)
  if (show === 'category') return of('options', labelOf(config, show), config.categories)
  if (show === 'period') return of('options', labelOf(config, show), config.fees.periods)
  const field = config.fields.find((known) => known.id === show)
  if (field?.type === 'select') return of('options', field.label, field.options ?? [])
  return of(field?.type === 'yes-no' ? 'yes-no' : 'text', labelOf(config, show))
}

const COLUMN_KINDS: Readonly<Record<string, Column['kind']>> = {
  base: 'money',
  gst: 'money',
  total: 'money',
  amount: 'money',
  payment_status: 'status',
  created_at: 'date',
  payment_date: 'date',
  date: 'date',
  id: 'number',
  category: 'option',
  period: 'option',
}
const FIELD_KINDS: Readonly<Partial<Record<FieldType | 'money', Column['kind']>>> = {
  'yes-no': 'yes-no',
  select: 'option',
  file: 'file',
  number: 'number',
  money: 'money',
}

function toColumn(config: EventConfig, id: string): Column {
  const type =
    config.fields.find((field) => field.id === id)?.type ??
    config.alsoStored.find((stored) => stored.id === id)?.type
  const kind =
    COLUMN_KINDS[id] ??
    (type === undefined ? 'text' : (FIELD_KINDS[type as FieldType | 'money'] ?? 'text'))
  return { id, label: labelOf(config, id), kind }
}

function toExamples(examples: Plain): readonly ExampleCase[] {
  const delegate = map(examples.delegate)
  return list(examples.cases)
    .map(map)
    .map((example) => {
      const expect = map(example.expect)
      const name = text(example.name)
      if (example.order_id !== undefined)
        return { name, orderId: text(example.order_id), order: text(expect.order) }
      const amount = (value: unknown): Paise | undefined =>
        value === undefined ? undefined : paiseOf(value)
      const expected = given({
        category: maybe(expect.category),
        period: maybe(expect.period),
        base: amount(expect.base),
        gst: amount(expect.gst),
        total: amount(expect.total),
        shows: expect.shows === undefined ? undefined : texts(expect.shows),
        hides: expect.hides === undefined ? undefined : texts(expect.hides),
      })
      const on = momentOf(text(example.on))
      if (example.category !== undefined)
        return { name, on, category: text(example.category), expect: expected }
      const answers: RawAnswers = Object.fromEntries(
        Object.entries({ ...delegate, ...map(example.given) }).filter(
          ([, value]) => value !== null,
        ),
      )
      return {
        name,
        on,
        answers,
        expect: {
          ...expected,
          ...given({ errors: expect.errors === undefined ? undefined : wireNames(expect.errors) }),
        },
      }
    })
}

/** What is no day or time is found by EV105, and such a file is never served. */
function momentOf(value: string): Instant {
  return readInstant(value) ?? instant(0)
}

function toSiteTexts(shared: Plain): SiteTexts {
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

/** An id such as `senior-resident` in words; an option that is written as people read it stays as it is. */
const inWords = (id: string): string => (/^[a-z0-9-]+$/.test(id) ? words(id) : id)
