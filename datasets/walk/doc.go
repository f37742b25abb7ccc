// Package walk finds the files below a folder, for readers of every kind: pictures, recordings, posts.
//
// # Rules
//
//   - Hidden files and folders, [Hidden], are told and not entered: a leading dot (which covers ".git" and macOS's "._1.jpg"), and what
//     archives, storage devices and systems leave behind: "__MACOSX", "@eaDir", "#recycle", "$RECYCLE.BIN", "Thumbs.db" and their like,
//     in any case. The folder that is walked is never hidden: it was named.
//   - A link to a file is that file, under the link's own name. A link to a folder is told and not followed, since it may lead in a
//     circle, or to the same files twice. The folder that is walked may be a link.
//   - A folder that cannot be read is told with the reason, and the walk goes on; so is a link that leads nowhere or in a circle.
//   - Files are not opened, and only links are looked up: [Found.Info] asks for the rest, and refuses what is no regular file, because
//     opening a pipe or a device might never return.
//   - Order is that of the names' bytes in each folder. Who wants another sorts.
//
// # Example
//
//	err := walk.Walker{}.Folder(ctx, root, func(f walk.Found) error {
//		if f.Kind == walk.File && strings.HasSuffix(f.Name, ".csv") {
//			fmt.Println(f.Name)
//		}
//		return nil
//	})
package walk
