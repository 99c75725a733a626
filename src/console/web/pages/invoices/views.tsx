/** Filters that the person has given a name. */
import { Bookmark, BookmarkPlus, BookmarkX } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useSearchParams } from "wouter";
import { useCall, useSend } from "../../api/use-call";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Dialog, FormActions } from "../../kit/dialog";
import { Field, TextInput } from "../../kit/field";
import { Menu, type MenuItem } from "../../kit/menu";
import { notify } from "../../kit/toast";
import { words } from "./words";

const PAGE = "invoices";

type ViewsProps = {
	readonly isFiltered: boolean;
	/** Chosen columns, to be kept with the filters. */
	readonly columns: string | undefined;
};

export function Views({ isFiltered, columns }: ViewsProps) {
	const t = useWords(words);
	const [params] = useSearchParams();
	const [isNaming, setNaming] = useState(false);
	const { data } = useCall("listMyViews", {});
	const remove = useSend("deleteMyView", ["listMyViews"]);
	const views = data?.items.filter(({ page }) => page === PAGE) ?? [];
	const query = new URLSearchParams(params);
	query.delete("after");
	const whole = new URLSearchParams(query);
	if (columns !== undefined) whole.set("columns", columns);
	const here = views.find((view) => view.query === query.toString() || view.query === whole.toString());
	const isOwn = isFiltered || columns !== undefined;
	if (views.length === 0 && !isOwn) return null;
	const changes: MenuItem[] = here
		? [
				{
					...{ label: t("removeView", { name: here.name }), icon: BookmarkX, isBad: true },
					onSelect: () => remove.mutate({ path: { id: here.id } }),
				},
			]
		: isOwn
			? [{ label: t("saveView"), icon: BookmarkPlus, onSelect: () => setNaming(true) }]
			: [];
	const items = views.map(({ id, name, query }) => ({
		...{ label: name, href: `/invoices?${query}`, isChosen: id === here?.id },
	}));
	const trigger = <Button icon={<Bookmark aria-hidden />}>{t("views")}</Button>;
	return (
		<>
			<Menu
				trigger={trigger}
				groups={[{ items }, { items: changes }].filter((group) => group.items.length > 0)}
				align="end"
			/>
			{isNaming ? <NameDialog query={whole.toString()} onClose={() => setNaming(false)} /> : null}
		</>
	);
}

function NameDialog({ query, onClose }: { readonly query: string; readonly onClose: () => void }) {
	const t = useWords(words);
	const save = useSend("createMyView", ["listMyViews"]);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const name = String(new FormData(event.currentTarget).get("name")).trim();
		save.mutate(
			{ body: { page: PAGE, name, query } },
			{
				onSuccess: () => {
					notify(t("viewSaved"));
					onClose();
				},
			},
		);
	};
	const { problem } = save.error ?? {};
	const error = save.error ? (problem?.errors?.[0]?.detail ?? problem?.title ?? t("viewFailed")) : undefined;
	const actions = (
		<FormActions form="invoices-view" isBusy={save.isPending} onClose={onClose}>
			{t("save")}
		</FormActions>
	);
	return (
		<Dialog title={t("saveView")} isOpen onClose={onClose} actions={actions}>
			<form id="invoices-view" onSubmit={submit}>
				<Field label={t("viewName")} error={error}>
					<TextInput name="name" maxLength={60} required />
				</Field>
			</form>
		</Dialog>
	);
}
