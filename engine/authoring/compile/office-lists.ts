/** Compiles the office's dashboard and lists: filters, columns and their kinds, and the default list. */
import { listPeriods } from '../../pricing/price-periods.ts'
import type {
  AdminList,
  Column,
  EventConfig,
  FieldType,
  Filter,
  Option,
  SiteTexts,
} from '../../event/config.ts'
import {
  ENDED_STATES,
  getEndedLabel,
  getStatusText,
} from '../../registration/registration-and-payment-states.ts'
import { listGatewayAccounts } from '../../payments/card-accounts.ts'
import { getOwn } from '../../lib/result.ts'
import type { Role } from '../../event/delegate-fields.ts'
import { buildSalesColumns, buildSalesFilter } from '../../reports/sales-columns.ts'
import { getLabel, listPriceParts } from '../../event/placeholders-and-answer-texts.ts'
import type { ListValue } from '../../event/built-in-values.ts'
import { buildDefaultListApi, buildDefaultList } from '../../event/default-settings-and-limits.ts'
import { LIST_ROWS, LIST_ROWS_CHOICES } from '../../event/rows-per-page.ts'
import { isCharged } from './fees.ts'
import {
  asList,
  asMap,
  asOptionalText,
  asText,
  asTexts,
  type PlainMap,
} from './read-checked-values.ts'

export function toAdmin(
  config: EventConfig,
  admin: PlainMap,
  site: SiteTexts,
): EventConfig['admin'] {
  const dashboard = asMap(admin.dashboard)
  const lists = asList(admin.lists).map(asMap)
  return {
    dashboard: {
      key: asOptionalText(dashboard.key) ?? config.id,
      label: asOptionalText(dashboard.label) ?? config.title,
      cards: asTexts(dashboard.cards) as EventConfig['admin']['dashboard']['cards'],
    },
    lists:
      lists.length > 0
        ? lists.map((list) => toList(config, list, site))
        : [toList(config, listEveryField(config), site)],
  }
}

/**
 * Returns the default list of an event that declares none: a column for every field, and a filter
 * for every field with a list of values.
 */
function listEveryField(config: EventConfig): PlainMap {
  return {
    ...buildDefaultList(config.id, config.title),
    filters: [
      'search',
      'payment_status',
      ...config.fields
        .filter(({ type }) => FILTERABLE_TYPES.includes(type))
        .map((field) => field.id),
      'date_from',
      'date_to',
    ],
    columns: [
      'reg_no',
      ...config.fields.map((field) => field.id),
      ...(config.categoryChoice.by === 'rules' ? ['category'] : []),
      ...buildSalesColumns(config).map((column) => column.id),
      ...(config.fees.prices === null ? [] : listPriceParts(config)),
      'payment_status',
      'created_at',
    ],
    page_sizes: LIST_ROWS_CHOICES,
  }
}

/**
 * Field types that can be filtered by a list of values. People fields are filtered by whether the delegate lists any
 * people.
 */
const FILTERABLE_TYPES: readonly FieldType[] = ['select', 'yes-no', 'many', 'people']

function toList(config: EventConfig, value: PlainMap, site: SiteTexts): AdminList {
  const id = asText(value.id)
  const listApi = buildDefaultListApi(id)
  const errors = asMap(value.errors)
  const exportSettings = asMap(value.export)
  const load = asOptionalText(errors.load) ?? site.admin.load
  return {
    id,
    title: asText(value.title),
    route: asText(value.route),
    api: asOptionalText(value.api) ?? listApi.api,
    // Adds the filter for items sold to the file's filters. The filter's values are the labels used in the export.
    filters: [
      ...asList(value.filters).map((filter) => toFilter(config, filter)),
      ...[buildSalesFilter(config)].filter((filter) => filter !== null),
    ],
    columns: asTexts(value.columns)
      .filter((column) => isCharged(config.fees, column))
      .map((column) => toColumn(config, column)),
    pageSize: typeof value.page_size === 'number' ? value.page_size : LIST_ROWS,
    pageSizes: asList(value.page_sizes).map(Number),
    empty: asOptionalText(value.empty) ?? site.admin.empty,
    errors: {
      load,
      shape: asOptionalText(errors.shape) ?? load,
      export: asOptionalText(errors.export) ?? site.admin.export,
    },
    export: {
      api: asOptionalText(exportSettings.api) ?? listApi.exportApi,
      file: asOptionalText(exportSettings.file) ?? listApi.exportFile,
    },
    ...(listGatewayAccounts(config).length > 1 ? { hasSeveralAccounts: true } : {}),
  }
}

/** The filter lists ended registrations by how they ended, not by payment status. */
const STATUS_OPTIONS: readonly Option[] = [
  ...(['success', 'pending', 'failed', 'refunded'] as const).map((status) => ({
    id: status,
    label: getStatusText(status),
  })),
  ...ENDED_STATES.map((state) => ({ id: state, label: getEndedLabel(state) })),
]

function toFilter(config: EventConfig, value: unknown): Filter {
  const show = typeof value === 'string' ? value : asText(asMap(value).show)
  const sentAs = typeof value === 'string' ? value : (asOptionalText(asMap(value).sent_as) ?? show)
  const buildFilter = (
    kind: Filter['kind'],
    label: string,
    options?: readonly Option[],
  ): Filter => ({
    show,
    sentAs,
    label,
    kind,
    ...(options === undefined ? {} : { options }),
  })
  if (show === 'search') return buildFilter('search', 'Search')
  if (show === 'date_from') return buildFilter('day', 'Registered from')
  if (show === 'date_to') return buildFilter('day', 'Registered to')
  if (show === 'payment_status')
    return buildFilter('options', getLabel(config, show), STATUS_OPTIONS)
  if (show === 'category') return buildFilter('options', getLabel(config, show), config.categories)
  if (show === 'period')
    return buildFilter('options', getLabel(config, show), listPeriods(config.fees))
  const field = config.fields.find((known) => known.id === show)
  if (field?.type === 'select' || field?.type === 'many')
    return buildFilter('options', field.label, field.options ?? [])
  const isYesNo = field?.type === 'yes-no' || field?.type === 'people'
  return buildFilter(isYesNo ? 'yes-no' : 'text', getLabel(config, show))
}

const COLUMN_KINDS: Readonly<Record<ListValue, Column['kind']>> = {
  reg_no: 'text',
  order_id: 'text',
  category: 'option',
  period: 'option',
  base: 'money',
  gst: 'money',
  total: 'money',
  payment_date: 'date',
  payment_status: 'status',
  payment_id: 'text',
  created_at: 'date',
  id: 'number',
}
const FIELD_KINDS: Readonly<Record<FieldType | 'money', Column['kind']>> = {
  text: 'text',
  multiline: 'text',
  email: 'text',
  phone: 'text',
  date: 'text',
  'yes-no': 'yes-no',
  select: 'option',
  file: 'file',
  number: 'number',
  money: 'money',
  many: 'text',
  people: 'text',
  consent: 'yes-no',
}

function toColumn(config: EventConfig, id: string): Column {
  const salesColumn = buildSalesColumns(config).find((column) => column.id === id)
  if (salesColumn !== undefined) return salesColumn
  const type =
    config.fields.find((field) => field.id === id)?.type ??
    config.alsoStored.find((stored) => stored.id === id)?.type
  const kind =
    getOwn<Column['kind']>(COLUMN_KINDS, id) ?? (type === undefined ? 'text' : FIELD_KINDS[type])
  const role = (Object.keys(config.roles) as Role[]).find((key) => config.roles[key] === id)
  return { id, label: getLabel(config, id), kind, ...(role === undefined ? {} : { role }) }
}
