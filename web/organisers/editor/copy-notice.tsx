/** Notice for a copied event file, with a form that creates a new conference from it. */
import { useId, useState } from 'react'
import type { FormEvent } from 'react'
import { addDays, countDaysBetween, isDay } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { deriveEventId, findPrefix, repeatEvent } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { FileDraft } from './event-file-draft.ts'
import type { CopyReport } from './repeated-notice.tsx'
import './copy-notice.css'

const DEFAULT_WEEKS = 52
/** Ten years. A later first day is probably a typo. */
const MAX_WEEKS = 522
const DAYS_PER_WEEK = 7

type CopyNoticeProps = {
  readonly event: EventConfig
  readonly text: string
  /** Ids and number prefixes of the published events. */
  readonly usedNames: { readonly ids: readonly string[]; readonly prefixes: readonly string[] }
  readonly onCopy: (file: FileDraft, report: CopyReport) => void
}

/** Creates a new conference from a published one, like `rollcall event repeat`. */
export default function CopyNotice({ event, text, usedNames, onCopy }: CopyNoticeProps) {
  const id = useId()
  const suggestedDay = addDays(event.from, DEFAULT_WEEKS * DAYS_PER_WEEK)
  const [name, setName] = useState(() => event.id.replace(/\d{4}$/, suggestedDay.slice(0, 4)))
  const [firstDay, setFirstDay] = useState<string>(suggestedDay)
  const [problem, setProblem] = useState<string | null>(null)
  const submit = (submitEvent: FormEvent) => {
    submitEvent.preventDefault()
    const weeks = isDay(firstDay)
      ? Math.round(countDaysBetween(event.from, firstDay) / DAYS_PER_WEEK)
      : 0
    const prefix = findPrefix(name, usedNames.prefixes)
    if (deriveEventId(name) !== name)
      return setProblem(
        'The short name can have lower-case letters and digits, and must start with a letter: for example, surgeons2027.',
      )
    if (usedNames.ids.includes(name))
      return setProblem(`${name} is already published. Enter another short name.`)
    if (prefix === null)
      return setProblem('All number prefixes for this name are in use. Enter another short name.')
    if (weeks < 1 || weeks > MAX_WEEKS)
      return setProblem(
        'The first day must be between one week and ten years after the first day of the old conference.',
      )
    const copy = repeatEvent(text, event, { id: name, prefix, weeks, otherEvents: [] })
    onCopy({ path: `events/${name}.yaml`, text: copy.text, isSaved: false }, copy)
  }
  return (
    <form className="org-copy" noValidate onSubmit={submit}>
      <p>
        This is the event file of {event.title}, with its address and number prefix. To change that
        conference, edit the file. For another conference, first create a new file from it:
      </p>
      <div className="org-copy-fields">
        <label htmlFor={`${id}-name`}>
          Short name for the web address
          <input
            id={`${id}-name`}
            value={name}
            autoComplete="off"
            onChange={({ target }) => setName(target.value.trim())}
          />
        </label>
        <label htmlFor={`${id}-day`}>
          First day
          <input
            id={`${id}-day`}
            type="date"
            value={firstDay}
            onChange={({ target }) => setFirstDay(target.value)}
          />
        </label>
        <button type="submit" className="btn line sm">
          Create a new conference
        </button>
      </div>
      {problem !== null && (
        <p className="org-problem" role="alert">
          <Icon name="bang" />
          {problem}
        </p>
      )}
    </form>
  )
}
