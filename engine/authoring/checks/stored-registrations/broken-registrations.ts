/**
 * Checks EV10xx: damage that a new version of an event file would do to stored registrations.
 *
 * The checks run at reload and in `diff --database`. An `allow` entry with a reason accepts any of their findings.
 */
import { listGatewayAccounts } from '../../../payments/card-accounts.ts'
import type { EventConfig, Field } from '../../../event/config.ts'
import { getOwn } from '../../../lib/result.ts'
import { findGroupOfCategory, listPeriodsOfCategory } from '../../../pricing/price-periods.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import { getCurrency } from '../../../rules/category.ts'
import { applyAllow } from '../../accepted-findings.ts'
import type { Draft, Finding } from '../../finding.ts'
import type { SourceText } from '../../../event/source-files.ts'
import { createFinding } from '../../finding.ts'
import { readEventFile } from '../../schema/renamed-keys.ts'
import { soldItemChecks } from './sold-items.ts'
import {
  pairKeptFields,
  formatRegistrationCount,
  formatRegistrationsHave,
  type UsageCounts,
  type VersionCheck,
  type VersionComparison,
} from './stored-data.ts'

const COMPATIBLE_TYPE: Readonly<Record<Field['type'], string>> = {
  text: 'text',
  multiline: 'text',
  email: 'text',
  phone: 'text',
  select: 'option',
  'yes-no': 'yes-no',
  number: 'number',
  date: 'date',
  file: 'file',
  many: 'options',
  people: 'people',
  consent: 'yes-no',
}

/** Field types whose answers are options. */
const CHOICE_TYPES: ReadonlySet<Field['type']> = new Set(['select', 'many'])

/** The checks by code, in reporting order. */
export const storedRegistrationChecks: Readonly<Record<string, VersionCheck>> = {
  EV1001: {
    slug: 'answers-orphaned',
    severity: 'error',
    why: 'The stored answers of a removed field no longer appear in lists, exports and emails.',
    find: ({ old, next, use }) =>
      old.fields
        .filter(
          ({ id }) =>
            (getOwn(use.fields, id) ?? 0) > 0 &&
            !next.fields.some((field) => field.id === id) &&
            !next.alsoStored.some((stored) => stored.id === id),
        )
        .map(({ id, label }) => ({
          at: 'form.sections',
          part: 'key' as const,
          message: `the field \`${id}\` was removed, but ${formatRegistrationsHave(getOwn(use.fields, id) ?? 0)} a value for it`,
          help: `keep the field, or list it under form.also_stored: {id: ${id}, type: text, label: ${label}}`,
        })),
  },
  EV1002: {
    slug: 'answers-retyped',
    severity: 'error',
    why: 'Stored answers of one type are not valid for another type.',
    find: (comparison) =>
      pairKeptFields(comparison)
        .filter(
          ([previous, current]) =>
            COMPATIBLE_TYPE[previous.type] !== COMPATIBLE_TYPE[current.type] &&
            COMPATIBLE_TYPE[current.type] !== 'text' &&
            (getOwn(comparison.use.fields, previous.id) ?? 0) > 0,
        )
        .map(([previous, current]) => ({
          at: comparison.fieldPath(current.id),
          part: 'entry' as const,
          message: `\`${current.id}\` changes from a ${previous.type} to a ${current.type} field, but ${formatRegistrationsHave(getOwn(comparison.use.fields, current.id) ?? 0)} a value for it`,
          help: 'give the new field a different id',
        })),
  },
  EV1003: {
    slug: 'option-in-use',
    severity: 'error',
    why: 'A stored answer whose option was removed has no label and matches no rule.',
    find: (comparison) =>
      pairKeptFields(comparison).flatMap(([previous, current]) => {
        if (
          !CHOICE_TYPES.has(previous.type) ||
          !CHOICE_TYPES.has(current.type) ||
          current.offersCategories === true
        )
          return []
        const removedOptions = (previous.options ?? []).filter(
          ({ id }) => !(current.options ?? []).some((option) => option.id === id),
        )
        return removedOptions.flatMap(({ id }) => {
          const count = getOwn(getOwn(comparison.use.options, current.id) ?? {}, id) ?? 0
          return count === 0
            ? []
            : [
                {
                  at: `${comparison.fieldPath(current.id)}.options`,
                  message: `\`${id}\` is no longer an option of \`${current.id}\`, but ${formatRegistrationCount(count)} ${count === 1 ? 'uses' : 'use'} it`,
                },
              ]
        })
      }),
  },
  EV1014: {
    slug: 'currency-in-use',
    severity: 'error',
    why: 'The currency of stored bills and payments does not change. Totals, lists and refunds would mix two currencies.',
    find: ({ old, next, use }) => {
      const drafts = next.categories.flatMap(({ id }, index): Draft[] => {
        const [previous, current] = [getCurrency(old, id), getCurrency(next, id)]
        const count = getOwn(use.categories, id) ?? 0
        return previous === current ||
          count === 0 ||
          !old.categories.some((category) => category.id === id)
          ? []
          : [
              {
                at: `categories.${index}`,
                message: `the currency of \`${id}\` changes from ${previous} to ${current}, but ${formatRegistrationsHave(count)} a bill in ${previous}`,
                help: `keep ${previous}, or add a category with another id for prices in ${current}`,
              },
            ]
      })
      return old.currency === next.currency || use.registrations === 0
        ? drafts
        : [
            {
              at: 'currency',
              message: `the currency changes from ${old.currency} to ${next.currency}, but ${formatRegistrationsHave(use.registrations)} a bill in ${old.currency}`,
              help: `keep ${old.currency}, or create an event with another id for prices in ${next.currency}`,
            },
          ]
    },
  },
  EV1004: {
    slug: 'category-in-use',
    severity: 'error',
    why: 'Lists, filters and confirmations show the category of every registration, so it must exist.',
    find: ({ next, use }) =>
      Object.entries(use.categories)
        .filter(
          ([id, count]) => count > 0 && !next.categories.some((category) => category.id === id),
        )
        .map(([id, count]) => ({
          at: 'categories',
          part: 'key' as const,
          message: `the category \`${id}\` was removed, but ${formatRegistrationCount(count)} ${count === 1 ? 'belongs' : 'belong'} to it`,
          help: `keep the category with listed_only: true, so that new registrations cannot get it`,
        })),
  },
  EV1005: {
    slug: 'order-ids-orphaned',
    severity: 'error',
    why: 'Result pages, gateway messages and emails find a registration by the prefix of its number.',
    find: ({ old, next, use }) => {
      const { prefix, followedBy } = next.orderId
      if (
        use.registrations === 0 ||
        (prefix === old.orderId.prefix &&
          (followedBy === old.orderId.followedBy || followedBy === 'anything'))
      )
        return []
      const part = prefix === old.orderId.prefix ? 'followed_by' : 'prefix'
      const previous = part === 'prefix' ? old.orderId.prefix : old.orderId.followedBy
      return [
        {
          at: `order_id.${part}`,
          message: `the format of registration numbers changed (${part} was \`${previous}\`), and ${formatRegistrationCount(use.registrations)} would no longer be found`,
        },
      ]
    },
  },
  EV1006: {
    slug: 'payments-orphaned',
    severity: 'error',
    why: 'The status of a pending payment is requested from the account in which it was started.',
    find: ({ old, next, use }) => {
      const currentAccounts = listGatewayAccounts(next)
      const removedAccount = listGatewayAccounts(old).find(
        ({ account, gateway }) =>
          !currentAccounts.some(
            (other) => other.account === account && other.gateway.name === gateway.name,
          ),
      )
      if (removedAccount === undefined || use.pending === 0) return []
      return [
        {
          at: next.payment === null ? 'payment' : 'payment.account',
          message: `the account \`${removedAccount.account}\` was removed, but ${formatRegistrationsHave(use.pending)} a pending payment through it`,
          help: 'wait until no payments are pending, or accept the finding under `allow`',
        },
      ]
    },
  },
  EV1007: {
    slug: 'routes-changed',
    severity: 'warning',
    why: 'Emails, bookmarks and printed programmes contain these addresses.',
    find: ({ old, next, use }) => {
      if (use.registrations === 0) return []
      const knownAddresses = [next.routes.form, ...next.routes.also]
      return [
        ...(knownAddresses.includes(old.routes.form)
          ? []
          : [
              {
                at: 'routes.form',
                message: `the previous address of the form, ${old.routes.form}, was removed`,
                help: `keep the old address: also: [${old.routes.form}]`,
              },
            ]),
        ...(['success', 'failed'] as const).flatMap((page) =>
          next.routes[page] === old.routes[page]
            ? []
            : [
                {
                  at: `routes.${page}`,
                  message: `the address of this page was ${old.routes[page]}; links for ${formatRegistrationCount(use.registrations)} still use that address`,
                },
              ],
        ),
      ]
    },
  },
  EV1008: {
    slug: 'period-in-use',
    severity: 'warning',
    why: 'Each registration stores the period of its price. If the period is removed, staff see only its id.',
    find: (comparison) =>
      comparison.use.registrations === 0
        ? []
        : [...findRemovedPeriods(comparison), ...findLostPeriods(comparison)],
  },
  ...soldItemChecks,
}

const KEEP_PERIOD_HELP = 'change the days of the period, not its id'

function findRemovedPeriods({ old, next }: VersionComparison): readonly Draft[] {
  return old.fees.periods
    .filter(({ id }) => !next.fees.periods.some((period) => period.id === id))
    .map(({ id }) => ({
      at: 'fees.periods',
      part: 'key',
      message: `the period \`${id}\` was removed, but some registrations may have been quoted its prices`,
      help: KEEP_PERIOD_HELP,
    }))
}

/**
 * Reports periods that no longer apply to a category: they were removed from its group, or it is now in another group.
 */
function findLostPeriods({ old, next, use }: VersionComparison): readonly Draft[] {
  const tables = [undefined, ...(old.fees.groups ?? [])]
  return tables.flatMap((group) =>
    (group ?? old.fees).periods.flatMap(({ id }): Draft[] => {
      if (group === undefined && !next.fees.periods.some((period) => period.id === id)) return []
      const affectedCategories = next.categories.filter(
        (category) =>
          (getOwn(use.categories, category.id) ?? 0) > 0 &&
          old.categories.some((other) => other.id === category.id) &&
          findGroupOfCategory(old.fees, category.id) === group &&
          !listPeriodsOfCategory(next.fees, category.id).some((period) => period.id === id),
      )
      const [firstCategory] = affectedCategories
      if (firstCategory === undefined) return []
      const count = affectedCategories.reduce(
        (sum, category) => sum + (getOwn(use.categories, category.id) ?? 0),
        0,
      )
      const newGroup = findGroupOfCategory(next.fees, firstCategory.id)
      const names = formatList(affectedCategories.map((category) => `\`${category.id}\``))
      return [
        {
          at:
            newGroup === undefined
              ? 'fees.periods'
              : `fees.price_groups.${next.fees.groups?.indexOf(newGroup) ?? 0}.periods`,
          part: 'key',
          message: `the period \`${id}\`${group === undefined ? '' : ` of \`${group.label}\``} was removed for ${names}, but ${formatRegistrationCount(count)} may have been quoted its prices`,
          help: `${KEEP_PERIOD_HELP}, and keep each category in its group`,
        },
      ]
    }),
  )
}

/**
 * Compares a new version of an event with the version that is currently served. The new version must have no errors;
 * `file` is its text.
 */
export function compareWithServedVersion(
  next: EventConfig,
  file: SourceText,
  old: EventConfig,
  use: UsageCounts,
): readonly Finding[] {
  const { source } = readEventFile(file)
  const sections = listFieldIdsBySection(source.value)
  const getFieldPath = (id: string): string => {
    for (const [s, fields] of sections.entries()) {
      const f = fields.indexOf(id)
      if (f !== -1) return `form.sections.${s}.fields.${f}`
    }
    return 'form.sections'
  }
  const comparison = { old, next, use, fieldPath: getFieldPath }
  const findings = Object.entries(storedRegistrationChecks).flatMap(([code, check]) =>
    check.find(comparison).map((draft) => createFinding(code, check, draft, source)),
  )
  // `allow` entries for other codes were checked when the file was checked on its own.
  return applyAllow(findings, source, new Set(Object.keys(storedRegistrationChecks)), {
    hasOlderVersion: true,
  }).filter(({ code }) => Object.hasOwn(storedRegistrationChecks, code))
}

/** Returns the field ids of each section, in the order of the file. */
function listFieldIdsBySection(value: unknown): readonly (readonly string[])[] {
  const file = value as {
    readonly form?: {
      readonly sections?: readonly { readonly fields?: readonly { readonly id?: string }[] }[]
    }
  } | null
  return (file?.form?.sections ?? []).map((section) =>
    (section.fields ?? []).map(({ id }) => String(id)),
  )
}
