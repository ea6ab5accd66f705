/** The sheet with the form's sections and their progress. */
import { use } from 'react'
import type { ObjectFieldTemplateProps } from '@rjsf/utils'
import { FORM_MESSAGES } from '../../../engine/messages.ts'
import type { Field } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { NO_SECTION, CurrentSection, Progress, ShownFields } from './form-context.ts'
import type { FormConstants, SectionState } from './form-context.ts'
import { chooseWidget } from '../fields/choose-field-widget.ts'

/**
 * Shows all sections that have fields, numbered in the margin. Only this component reads the set of shown fields.
 * Replaces the theme's ObjectFieldTemplate, a grid of all properties without sections or conditions.
 */
export function SectionSheet(props: ObjectFieldTemplateProps) {
  const shownFields = use(ShownFields)
  const progress = use(Progress)
  const currentSection = use(CurrentSection)
  const { event, fields } = props.registry.formContext as FormConstants
  const renderedFields = new Map(
    props.properties.map((property) => [property.name, property.content]),
  )
  const sections = event.sections
    .map((section, index) => ({
      section,
      index,
      visibleFields: section.fields.flatMap((id) =>
        shownFields.has(id) ? (fields.get(id) ?? []) : [],
      ),
    }))
    .filter((candidate) => candidate.visibleFields.length > 0)
  if (currentSection === NO_SECTION) return null
  return (
    <div className="paper">
      {sections.map(({ section, index, visibleFields: shownFields }, position) => {
        if (currentSection !== null && currentSection !== index) return null
        const heading = `section-${index}`
        const wideFields = findWideFields(shownFields)
        return (
          <section className="sec" key={section.title} aria-labelledby={heading}>
            <h2 className="disp" id={heading} tabIndex={-1}>
              <MarginNumber state={progress[index] ?? 'open'} position={position + 1} />
              {section.title}
            </h2>
            <div className="two">
              {shownFields.map((field) => (
                <div key={field.id} className={wideFields.has(field.id) ? 'w' : ''}>
                  {renderedFields.get(field.id)}
                </div>
              ))}
            </div>
          </section>
        )
      })}
    </div>
  )
}

function MarginNumber({
  state,
  position,
}: {
  readonly state: SectionState
  readonly position: number
}) {
  if (state === 'complete')
    return (
      <span className="no done">
        <Icon name="tick" label={FORM_MESSAGES.sections.complete} />
      </span>
    )
  if (state === 'wrong')
    return (
      <span className="no err">
        <span className="vh">{FORM_MESSAGES.sections.incomplete} </span>
        {position}
      </span>
    )
  return (
    <span className="no" aria-hidden="true">
      {position}
    </span>
  )
}

/** Longer labels are wider than half a column. */
const MAX_PAIRED_LABEL_CHARACTERS = 26
const isShort = (field: Field): boolean =>
  field.label.length <= MAX_PAIRED_LABEL_CHARACTERS &&
  field.id !== 'address' &&
  (chooseWidget(field) === 'line' ||
    (field.type === 'select' && field.offersCategories !== true && field.as !== 'radio'))

/**
 * Returns the fields that fill a whole line. Short fields are shown in pairs. If an odd number of them follow one
 * another, the first fills a whole line.
 */
export function findWideFields(fields: readonly Field[]): ReadonlySet<string> {
  const wideFields = new Set<string>()
  let run: Field[] = []
  const endRun = () => {
    if (run.length % 2 === 1 && run[0]) wideFields.add(run[0].id)
    run = []
  }
  for (const field of fields) {
    if (isShort(field)) run.push(field)
    else {
      endRun()
      wideFields.add(field.id)
    }
  }
  endRun()
  return wideFields
}
