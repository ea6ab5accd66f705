/** The organisers' page: a choice how to begin, then the event file with its preview. */
import { useEffect, useRef, useState } from 'react'
import type { Site } from '../../engine/index.ts'
import type { PageProps } from '../app/page-props.ts'
import { SiteFooter, SiteHeader } from '../landing/site-header-footer.tsx'
import { loadFileDraft, saveFileDraft } from './editor/event-file-draft.ts'
import type { FileDraft } from './editor/event-file-draft.ts'
import { FileWorkspace } from './editor/file-workspace.tsx'
import { StartChoices } from './start-choices.tsx'
import '../landing/landing-sections.css'
import './organisers-page.css'

const isSite = (site: unknown): site is Site =>
  typeof site === 'object' && site !== null && 'organisers' in site

/** Target of Create Event. A file that was being edited in this tab is opened again. */
export default function OrganisersPage({ page }: PageProps) {
  const [file, setFile] = useState<FileDraft | null>(loadFileDraft)
  const choices = useRef<HTMLHeadingElement>(null)
  const hasLeft = useRef(false)
  useEffect(() => {
    if (file === null && hasLeft.current) choices.current?.focus()
  }, [file])
  if (page.page !== 'organisers' || !isSite(page.site)) return null
  const texts = page.site.organisers
  const leave = () => {
    hasLeft.current = true
    saveFileDraft(null)
    setFile(null)
  }
  return (
    <div className="site">
      <SiteHeader site={page.site} here="/organisers" />
      <main id="main">
        <div className="wrap org-top">
          <h1 className="disp">{texts.title}</h1>
          <p className="lead">{texts.text}</p>
        </div>
        {page.shared !== null && file === null && (
          <StartChoices heading={choices} events={page.events} open={setFile} />
        )}
        {page.shared !== null && file !== null && (
          <FileWorkspace
            page={page}
            shared={page.shared}
            opened={file}
            texts={texts}
            firstTab={null}
            leave={leave}
          />
        )}
        <div className="wrap">
          <ol className="org-steps">
            {texts.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      </main>
      <SiteFooter site={page.site} here="/organisers" />
    </div>
  )
}
