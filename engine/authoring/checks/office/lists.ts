/** Checks EV7xx: office lists can be filtered, paged and exported. */
import type { Check } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'

const pageSizeCheck: Check = {
  slug: 'page-size',
  severity: 'error',
  why: 'The initial page size must be one of the page sizes that can be chosen.',
  find: ({ config, file }) =>
    (file.admin?.lists ?? []).flatMap(
      ({ page_size: statedSize, page_sizes: sizes }, index): Draft[] => {
        const size = statedSize ?? config.admin.lists[index]?.pageSize ?? 0
        return sizes === undefined || sizes.includes(size)
          ? []
          : [
              {
                at: `admin.lists.${index}.${statedSize === undefined ? 'page_sizes' : 'page_size'}`,
                message: `${size} is not among the page sizes`,
                related:
                  statedSize === undefined
                    ? []
                    : [{ at: `admin.lists.${index}.page_sizes`, message: 'available page sizes' }],
              },
            ]
      },
    ),
}

const filterOnTextCheck: Check = {
  slug: 'filter-on-text',
  severity: 'warning',
  why: 'A filter needs a list of values, which free text does not have. Staff can use the search box instead.',
  after: ['EV207'],
  find: ({ file, fields }) =>
    (file.admin?.lists ?? []).flatMap(({ filters }, index) =>
      (filters ?? []).flatMap((filter, i): Draft[] => {
        const name = typeof filter === 'string' ? filter : filter.show
        const type = fields.find(({ id }) => id === name)?.field.type
        return type === undefined || ['select', 'yes-no', 'many', 'people'].includes(type)
          ? []
          : [
              {
                at: `admin.lists.${index}.filters.${i}`,
                message: 'a filter on free text has no list of values',
                help: 'remove the filter; the search box finds free text',
              },
            ]
      }),
    ),
}

const filterClashCheck: Check = {
  slug: 'filter-clash',
  severity: 'error',
  why: 'If two filters use the same parameter, one of them has no effect.',
  after: ['EV207'],
  find: ({ config, file }) =>
    (file.admin?.lists ?? []).flatMap((_list, index) => {
      const filters = config.admin.lists[index]?.filters ?? []
      return filters.flatMap(({ sentAs }, i): Draft[] => {
        const isReserved = ['page', 'page_size', 'list'].includes(sentAs)
        const firstIndex = filters.findIndex((other) => other.sentAs === sentAs)
        if (!isReserved && firstIndex === i) return []
        return [
          {
            at: `admin.lists.${index}.filters.${i}`,
            message: isReserved
              ? `\`${sentAs}\` is reserved for a parameter of the list`
              : `two filters are sent as \`${sentAs}\``,
            related: isReserved
              ? []
              : [{ at: `admin.lists.${index}.filters.${firstIndex}`, message: 'the other filter' }],
          },
        ]
      })
    }),
}

const sameExportFileCheck: Check = {
  slug: 'same-export-file',
  severity: 'warning',
  why: 'Two lists that are saved under the same file name are easily confused.',
  find: ({ config, file }) =>
    (file.admin?.lists ?? []).flatMap((_list, index): Draft[] => {
      const name = config.admin.lists[index]?.export.file
      const firstListIndex = config.admin.lists.findIndex((other) => other.export.file === name)
      return firstListIndex === index
        ? []
        : [
            {
              at: `admin.lists.${index}.export.file`,
              message: 'two lists are saved under the same file name',
              related: [
                { at: `admin.lists.${firstListIndex}.export.file`, message: 'the other list' },
              ],
            },
          ]
    }),
}

const listOutsideOfficeCheck: Check = {
  slug: 'list-outside-office',
  severity: 'error',
  why: 'Office pages begin with /admin/. Pages elsewhere do not require signing in.',
  find: ({ file }) =>
    (file.admin?.lists ?? []).flatMap(({ route }, index): Draft[] =>
      /^\/admin\/[a-z0-9-]+/.test(route) && route !== '/admin/login'
        ? []
        : [
            {
              at: `admin.lists.${index}.route`,
              message: `${route} is not an office address`,
              help: 'write an address that begins with /admin/',
            },
          ],
    ),
}

export const officeListChecks = {
  EV702: pageSizeCheck,
  EV703: filterOnTextCheck,
  EV704: filterClashCheck,
  EV705: sameExportFileCheck,
  EV706: listOutsideOfficeCheck,
}
