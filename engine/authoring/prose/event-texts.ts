/** Every displayed text of an event file, with its heading. */
import { memoize } from '../../lib/memoize.ts'
import type { Model } from '../checked-file.ts'
import { listLocatedPeriods } from './named-periods.ts'

export type EventText = {
  readonly path: string
  /** As written in the file, with quotes and line breaks. `at` is its offset. */
  readonly text: string
  readonly at: number
  /** The label or heading above the text, which states its subject. */
  readonly heading: string
  /** The value shown next to the text, or null. The label of an amount is not itself a claim about money. */
  readonly shownValue: string | null
}

/** Returns the texts of pages, form, email and office, and the options of the form. Computed once per file. */
export const collectEventTexts = memoize((model: Model): readonly EventText[] =>
  [
    ...model.displayedTexts,
    ...[
      ...listOptionPaths(model),
      // Without a label, a period is displayed by its id.
      ...listLocatedPeriods(model).flatMap(({ at }) =>
        model.source.has(`${at}.label`) ? [] : [`${at}.id`],
      ),
    ].map((path) => {
      const [start, end] = model.source.span(path)
      return { path, written: model.source.text.slice(start, end), at: start }
    }),
  ].map(({ path, written: text, at }): EventText => ({
    path,
    text,
    at,
    ...describePlace(model, path),
  })),
)

/** Returns the paths of the form's options, which are displayed although they cannot contain placeholders. */
function listOptionPaths({ file }: Model): readonly string[] {
  return file.form.sections.flatMap((section, s) =>
    section.fields.flatMap((field, f) =>
      Array.isArray(field.options)
        ? field.options.map((option, o) => {
            const path = `form.sections.${s}.fields.${f}.options.${o}`
            return typeof option === 'string' || (option as { label?: string }).label === undefined
              ? path
              : `${path}.label`
          })
        : [],
    ),
  )
}

function describePlace({ file }: Model, path: string): Pick<EventText, 'heading' | 'shownValue'> {
  const parts = path.split('.')
  const getIndex = (index: number): number => Number(parts[index])
  const noHeading = { heading: '', shownValue: null }
  if (path.startsWith('form.sections.')) {
    const section = file.form.sections[getIndex(2)]
    const field = section?.fields[getIndex(4)]
    return parts[5] === 'label' || parts[5] === undefined
      ? noHeading
      : { heading: String(field?.label ?? ''), shownValue: null }
  }
  if (path.startsWith('form.panel.lines'))
    return { heading: file.form.panel?.title ?? '', shownValue: null }
  const page = parts[1]
  if (parts[0] !== 'results' || (page !== 'success' && page !== 'failed')) return noHeading
  if (parts[2] === 'notes')
    return { heading: file.results[page].notes_title ?? '', shownValue: null }
  const detail = parts[2] === 'details' ? file.results[page].details[getIndex(3)] : undefined
  if (typeof detail !== 'object') return noHeading
  return {
    heading: parts[4] === 'text' ? (detail.label ?? '') : '',
    shownValue: detail.show ?? null,
  }
}
