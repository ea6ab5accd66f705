/** Check EV514: no two categories, periods, sections, options or code kinds have the same label. */
import type { Check, Checks } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'

/** Returns a finding for each label that equals an earlier one. `getPath` returns the path at an index. */
function findRepeatedTexts(
  texts: readonly string[],
  getPath: (index: number) => string,
  noun: string,
): readonly Draft[] {
  return texts.flatMap((text, i): Draft[] => {
    const firstIndex = texts.findIndex(
      (other) => other.trim().toLowerCase() === text.trim().toLowerCase(),
    )
    return firstIndex === i
      ? []
      : [
          {
            at: getPath(i),
            message: `two ${noun} are both called “${text}”`,
            related: [{ at: getPath(firstIndex), message: 'the other label' }],
            help: 'give each a different label; if delegates can tell them apart, accept the finding: allow: [{code: EV514, because: …}]',
          },
        ]
  })
}

const sameTitleCheck: Check = {
  slug: 'same-title',
  severity: 'warning',
  why: 'Delegates cannot distinguish two categories, sections, periods or options with the same name.',
  after: ['EV206'],
  find: ({ config, file, fieldsAndParts }) => {
    return [
      ...findRepeatedTexts(
        config.categories.map(({ label }) => label),
        (i) =>
          file.categories[i]?.label === undefined ? `categories.${i}` : `categories.${i}.label`,
        'categories',
      ),
      ...findRepeatedTexts(
        config.fees.periods.map(({ label }) => label),
        (i) =>
          file.fees.periods[i]?.label === undefined
            ? `fees.periods.${i}`
            : `fees.periods.${i}.label`,
        'periods',
      ),
      ...findRepeatedTexts(
        (config.fees.groups ?? []).map(({ label }) => label),
        (i) => `fees.price_groups.${i}.label`,
        'price groups',
      ),
      ...(config.fees.groups ?? []).flatMap(({ label, periods }, group) =>
        findRepeatedTexts(
          periods.map((period) => period.label),
          (i) => `fees.price_groups.${group}.periods.${i}`,
          `periods of \`${label}\``,
        ),
      ),
      ...findRepeatedTexts(
        file.form.sections.map(({ title }) => title),
        (i) => `form.sections.${i}.title`,
        'sections',
      ),
      ...fieldsAndParts.flatMap(({ raw: { options }, path, field }) =>
        !Array.isArray(options)
          ? []
          : findRepeatedTexts(
              (field.options ?? []).map(({ label }) => label),
              (i) =>
                getOptionLabel(options[i]) === undefined
                  ? `${path}.options.${i}`
                  : `${path}.options.${i}.label`,
              `options of \`${field.id}\``,
            ),
      ),
      ...findRepeatedTexts(
        (file.codes?.kinds ?? []).map(({ label, id }) => label ?? id),
        (i) =>
          file.codes?.kinds[i]?.label === undefined ? `codes.kinds.${i}` : `codes.kinds.${i}.label`,
        'code kinds',
      ),
    ]
  },
}

const getOptionLabel = (option: unknown): string | undefined =>
  typeof option === 'object' ? (option as { readonly label?: string }).label : undefined

export const duplicateLabelChecks = { EV514: sameTitleCheck } satisfies Checks
