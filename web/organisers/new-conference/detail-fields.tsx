/** The card of the optional questions. Each has its own heading, and is checked when the organiser leaves its field. */
import { useId, useState } from 'react'
import type { Day } from '../../../engine/index.ts'
import type { Question } from '../../../engine/authoring.ts'
import type { Step } from './answers.ts'
import { runAfterPress, usePointerTracking } from '../../ui/forms/pointer-press.ts'
import { AnswerField } from './answer-field.tsx'
import { RefundField } from './refund-field.tsx'

type DetailFieldsProps = {
  readonly steps: readonly Step[]
  readonly today: Day
  readonly texts: Readonly<Record<string, string | undefined>>
  /** Whether all answers are checked, because the organiser wants to continue. */
  readonly isChecked: boolean
  readonly onChange: (name: Question['name'], text: string) => void
}

export function DetailFields({ steps, today, texts, isChecked, onChange }: DetailFieldsProps) {
  const id = useId()
  const [visitedFields, setVisitedFields] = useState<ReadonlySet<string>>(new Set())
  usePointerTracking()
  return (
    <>
      <p className="mute">
        Leave blank anything you do not know yet. The file will contain examples for you to replace.
      </p>
      {steps.map(({ question, sentence, earlierAnswers, problem }) => {
        const { name } = question
        const commonProps = {
          earlierAnswers,
          labelledBy: `${id}-${name}`,
          value: texts[name] ?? '',
          onChange: (text: string) => onChange(name, text),
        }
        const isShown = isChecked || visitedFields.has(name)
        return (
          <section
            key={name}
            className="org-detail"
            aria-labelledby={`${id}-${name}`}
            onBlur={({ currentTarget, relatedTarget }) => {
              if (currentTarget.contains(relatedTarget)) return
              runAfterPress(() => setVisitedFields((old) => new Set([...old, name])))
            }}
          >
            <h3 id={`${id}-${name}`}>{sentence}</h3>
            {name === 'refund' ? (
              <RefundField {...commonProps} today={today} isChecked={isShown} />
            ) : (
              <AnswerField
                {...commonProps}
                question={question}
                problem={isShown && typeof problem === 'string' ? problem : null}
              />
            )}
          </section>
        )
      })}
    </>
  )
}
