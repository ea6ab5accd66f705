/** Every text of an event file that somebody will read, with what it stands under. */
import { remember } from '../../lib/memoize.ts'
import type { Model } from '../checked-file.ts'

export type Readable = {
  readonly path: string
  /** As it stands in the file, quotes and line breaks included; `at` is where that begins. */
  readonly text: string
  readonly at: number
  /** The label or heading it belongs to, which says what it is about. */
  readonly heading: string
  /** The name of a value that is printed beside it: the label of a row of amounts is no claim of its own. */
  readonly shows: string | null
}

/** The texts of pages, form, mail and office, and the choices of the form; read once for each file. */
export const readables = remember((model: Model): readonly Readable[] =>
  [
    ...model.said,
    ...[
      ...optionPaths(model),
      ...model.file.fees.periods.flatMap((period, i) =>
        period.label === undefined ? [`fees.periods.${i}.id`] : [],
      ),
    ].map((path) => {
      const [start, end] = model.source.span(path)
      return { path, written: model.source.text.slice(start, end), at: start }
    }),
  ].map(({ path, written, at }): Readable => ({ path, text: written, at, ...about(model, path) })),
)

/** Choices are read as well, though no value can be named in them. */
function optionPaths({ file }: Model): readonly string[] {
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

function about({ file }: Model, path: string): Pick<Readable, 'heading' | 'shows'> {
  const parts = path.split('.')
  const at = (index: number): number => Number(parts[index])
  const none = { heading: '', shows: null }
  if (path.startsWith('form.sections.')) {
    const section = file.form.sections[at(2)]
    const field = section?.fields[at(4)]
    return parts[5] === 'label' || parts[5] === undefined
      ? none
      : { heading: String(field?.label ?? ''), shows: null }
  }
  if (path.startsWith('form.panel.lines'))
    return { heading: file.form.panel?.title ?? '', shows: null }
  const page = parts[1]
  if (parts[0] !== 'results' || (page !== 'success' && page !== 'failed')) return none
  if (parts[2] === 'notes') return { heading: file.results[page].notes_title ?? '', shows: null }
  const detail = parts[2] === 'details' ? file.results[page].details[at(3)] : undefined
  if (typeof detail !== 'object') return none
  return {
    heading: parts[4] === 'text' ? (detail.label ?? '') : '',
    shows: detail.show ?? null,
  }
}
