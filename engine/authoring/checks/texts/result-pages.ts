/** Checks EV6xx: buttons lead to existing pages, and result pages show only known values. */
import type { Check, Model } from '../../checked-file.ts'
import { ENGINE_VALUES, EVENT_VALUES, TAX_VALUES } from '../../../event/built-in-values.ts'
import type { Draft } from '../../finding.ts'
import { isOneTypo } from '../../../lib/edit-distance.ts'
import { findNearest } from '../../suggestions/nearest-name.ts'
import { findPlaceholders } from '../names/placeholders.ts'
import { SITE_PAGES } from '../../../event/reserved-addresses.ts'

/** Returns the addresses of the event's own pages. */
const listOwnRoutes = ({ file: { routes } }: Model): readonly string[] => [
  routes.form,
  ...(routes.also ?? []),
  routes.success,
  routes.failed,
]

/** Returns the addresses of all pages that Rollcall serves and a link may open. */
export const listPageAddresses = (model: Model): readonly string[] => [
  ...SITE_PAGES,
  ...listOwnRoutes(model),
  ...(model.options.otherRoutes ?? []),
]

const listButtons = ({ file: { results } }: Model) => [
  ...(results.error_buttons ?? []).map((button, index) => ({
    button,
    path: `results.error_buttons.${index}`,
  })),
  ...(['success', 'failed'] as const).flatMap((page) =>
    (results[page].buttons ?? []).map((button, index) => ({
      button,
      path: `results.${page}.buttons.${index}`,
    })),
  ),
]

const brokenButtonLinkCheck: Check = {
  slug: 'broken-button-link',
  severity: 'error',
  why: 'A delegate who follows the link does not find a page.',
  find: (model) => {
    const knownAddresses = listPageAddresses(model)
    return listButtons(model).flatMap(({ button, path }): Draft[] => {
      if (button.go === undefined || knownAddresses.includes(button.go)) return []
      const nearestRoute = findNearest(button.go, listOwnRoutes(model))
      return [
        {
          at: `${path}.go`,
          message: `no page has the address ${button.go}`,
          help:
            nearestRoute === null
              ? 'add the address to routes.also'
              : `did you mean \`${nearestRoute.name}\`? If not, add the address to routes.also`,
        },
      ]
    })
  },
}

const noReceiptCheck: Check = {
  slug: 'no-receipt',
  severity: 'error',
  why: 'The button downloads the receipt, so the event file must define one.',
  find: (model) =>
    model.file.results.receipt !== undefined
      ? []
      : listButtons(model).flatMap(({ button, path }): Draft[] =>
          button.do === 'receipt'
            ? [
                {
                  at: `${path}.do`,
                  message: 'there is no `receipt` to download',
                  help: 'add results.receipt: {file, text}',
                },
              ]
            : [],
        ),
}

const VALUES_WITHOUT_LOOKUP: readonly string[] = [
  'order_id',
  'amount',
  'date',
  ...EVENT_VALUES,
  ...TAX_VALUES,
]

const missingLookupCheck: Check = {
  slug: 'needs-lookup',
  severity: 'error',
  why: 'The page would show N/A, or nothing, to every delegate.',
  after: ['EV207', 'EV208'],
  find: (model) =>
    (['success', 'failed'] as const).flatMap((page): Draft[] => {
      if (model.config.results[page].lookup !== 'never') return []
      const help = 'add lookup: if-found'
      const detailDrafts = model.file.results[page].details.flatMap((detail, index): Draft[] => {
        const name = typeof detail === 'string' ? detail : detail.show
        const path = `results.${page}.details.${index}`
        if (typeof detail === 'object' && detail.when !== undefined)
          return [
            {
              at: `${path}.when`,
              message: 'the condition uses the registration, which this page does not load',
              help,
            },
          ]
        return name === undefined || VALUES_WITHOUT_LOOKUP.includes(name)
          ? []
          : [
              {
                at: typeof detail === 'string' ? path : `${path}.show`,
                message: `\`${name}\` is a value of the registration, which this page does not load`,
                help,
              },
            ]
      })
      const textDrafts = model.displayedTexts
        .filter(({ place }) => place === page)
        .flatMap((entry) =>
          findPlaceholders(entry).flatMap(({ name, span }): Draft[] =>
            VALUES_WITHOUT_LOOKUP.includes(name)
              ? []
              : [
                  {
                    at: entry.path,
                    span,
                    message: `\`{${name}}\` is a value of the registration, which this page does not load`,
                    help,
                  },
                ],
          ),
        )
      return [...detailDrafts, ...textDrafts]
    }),
}

const noOfficeAddressCheck: Check = {
  slug: 'no-office-address',
  severity: 'error',
  why: 'A copy needs a recipient.',
  find: ({ file }) =>
    file.email?.copy_to === 'office' && file.event.office === undefined
      ? [
          {
            at: 'email.copy_to',
            part: 'entry',
            message: 'there is no `event.office` to copy the email to',
            help: 'add event.office, or write copy_to: support',
          },
        ]
      : [],
}

const asWordsWithoutOptionsCheck: Check = {
  slug: 'as-words-without-options',
  severity: 'error',
  why: '`as: words` prints the label of an option. A name or an amount has no label.',
  after: ['EV207'],
  find: (model) =>
    (['success', 'failed'] as const).flatMap((page) =>
      model.file.results[page].details.flatMap((detail, index): Draft[] => {
        if (
          typeof detail === 'string' ||
          detail.as === undefined ||
          detail.show === undefined ||
          ['category', 'period'].includes(detail.show)
        )
          return []
        const field = model.fields.find(({ id }) => id === detail.show)
        const hasNoLabels =
          (ENGINE_VALUES as readonly string[]).includes(detail.show) ||
          detail.show.startsWith('event.') ||
          field?.field.type !== 'select'
        return hasNoLabels
          ? [
              {
                at: `results.${page}.details.${index}.as`,
                part: 'entry',
                message: `\`${detail.show}\` has no options, so \`as: words\` has no effect`,
              },
            ]
          : []
      }),
    ),
}

const invalidDetailRowCheck: Check = {
  slug: 'invalid-detail-row',
  severity: 'error',
  why: 'A row shows one value or text.',
  find: ({ file }) =>
    (['success', 'failed'] as const).flatMap((page) =>
      file.results[page].details.flatMap((detail, index): Draft[] => {
        if (typeof detail === 'string') return []
        const path = `results.${page}.details.${index}`
        if ((detail.show === undefined) === (detail.text === undefined))
          return [{ at: path, message: 'a row needs either `show` or `text`, not both' }]
        return detail.text !== undefined && detail.label === undefined
          ? [{ at: path, message: 'a row with `text` needs a `label`' }]
          : []
      }),
    ),
}

/** Reports addresses of an event that differ by one typing mistake: swapped, missing or doubled letters. */
const misspeltRouteCheck: Check = {
  slug: 'misspelt-route',
  severity: 'warning',
  why: 'Addresses are printed and linked. A spelling mistake is noticed only when delegates cannot open the page.',
  find: ({ file }) => {
    const addresses: readonly (readonly [string, string])[] = [
      ['event.id', file.event.id],
      ...(['form', 'success', 'failed'] as const).map(
        (page) => [`routes.${page}`, file.routes[page]] as const,
      ),
      ...(file.routes.also ?? []).map((route, index) => [`routes.also.${index}`, route] as const),
      ...(['register', 'registration', 'tariff', 'gateway_return'] as const).flatMap((call) =>
        file.api?.[call] === undefined ? [] : [[`api.${call}`, file.api[call]] as const],
      ),
      ...(file.admin?.lists ?? []).flatMap((list, index) => [
        [`admin.lists.${index}.id`, list.id] as const,
        [`admin.lists.${index}.route`, list.route] as const,
        ...(list.api === undefined ? [] : [[`admin.lists.${index}.api`, list.api] as const]),
      ]),
    ]
    const parts = addresses.flatMap(([at, address]) =>
      address
        .split(/[/?]/)
        .filter((part) => part.length >= 5 && !part.startsWith('{'))
        .map((part) => ({ at, part })),
    )
    const countOccurrences = (part: string): number =>
      parts.filter((other) => other.part === part).length
    return parts.flatMap(({ at, part }, index): Draft[] => {
      const similarPart = parts.find(
        (candidate, candidateIndex) =>
          candidate.part !== part &&
          isTypo(candidate.part, part) &&
          (countOccurrences(candidate.part) > countOccurrences(part) ||
            (countOccurrences(candidate.part) === countOccurrences(part) &&
              candidateIndex < index)),
      )
      return similarPart === undefined
        ? []
        : [
            {
              at,
              message: `this address contains \`${part}\`, but another address contains \`${similarPart.part}\``,
              related: [{ at: similarPart.at, message: 'the other address' }],
              help: 'use the same spelling in both places, or accept the finding under `allow`',
            },
          ]
    })
  },
}

/** Returns whether two parts differ by one typing mistake. A different digit or a plural does not count. */
function isTypo(a: string, b: string): boolean {
  const toSingular = (part: string): string => part.replace(/\d/g, '').replace(/s$/, '')
  return isOneTypo(a, b) && toSingular(a) !== toSingular(b)
}

/** Characters that file names cannot contain on some systems. */
const INVALID_FILE_NAME_CHARACTER = /[\\/:*?"<>|]/

const receiptFileCheck: Check = {
  slug: 'receipt-file',
  severity: 'warning',
  why: 'Receipts are plain text files. Each needs a valid file name that no other receipt has.',
  after: ['EV208', 'EV209'],
  find: (model) => {
    const file = model.file.results.receipt?.file
    const text = model.displayedTexts.find(({ path }) => path === 'results.receipt.file')
    if (file === undefined || text === undefined) return []
    const values = findPlaceholders(text).map(({ name }) => name)
    const invalidCharacter = INVALID_FILE_NAME_CHARACTER.exec(file)?.[0]
    const stem = values.some((name) => !EVENT_VALUES.some((value) => value === name))
      ? file.replace(/\.[^.{}]*$/, '')
      : '{reg_no}'
    const message =
      invalidCharacter !== undefined
        ? `\`${invalidCharacter}\` is not allowed in a file name`
        : !/\.txt$/i.test(file)
          ? 'the receipt is a plain text file, but its name does not end in .txt'
          : stem === '{reg_no}' && !values.includes('reg_no')
            ? 'the receipt files of all delegates have the same name'
            : null
    return message === null
      ? []
      : [
          {
            at: text.path,
            message,
            help: `write "${invalidCharacter === undefined ? stem : '{reg_no}'}.txt"`,
          },
        ]
  },
}

export const resultPageChecks = {
  EV601: brokenButtonLinkCheck,
  EV602: noReceiptCheck,
  EV603: missingLookupCheck,
  EV606: noOfficeAddressCheck,
  EV607: asWordsWithoutOptionsCheck,
  EV608: invalidDetailRowCheck,
  EV609: misspeltRouteCheck,
  EV612: receiptFileCheck,
}
