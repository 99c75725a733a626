/** What pages outside the shell have: the name, language and theme, and the way out for a person who is signed in. */
import { LogOut } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../kit/button";
import { useWords } from "./language";
import { LookMenus } from "./look-menus";
import { useSignOut } from "./session";
import { frameWords } from "./words";

type OutsideProps = { readonly isSignedIn?: boolean; readonly children: ReactNode };

export function Outside({ isSignedIn = false, children }: OutsideProps) {
	const t = useWords(frameWords);
	const signOut = useSignOut();
	return (
		<div className="entrance">
			<header className="entrance-top">
				<span className="brand">Sello</span>
				<LookMenus />
				{isSignedIn ? (
					<Button kind="quiet" isIcon icon={<LogOut aria-hidden />} onClick={signOut}>
						{t("signOut")}
					</Button>
				) : null}
			</header>
			{children}
		</div>
	);
}
